"""Headers that may not come from outside, because somebody behind the gate would believe them."""

from __future__ import annotations

import re
from typing import Final

from .javascript import SPACES
from .refusal import Refusal

# CGI-like servers make `_` of `-` and of everything else that is neither letter nor digit.
_IDENTITY: Final = re.compile(r"latchkey(?![a-z0-9])", re.IGNORECASE | re.ASCII)
# Object stores copy, move or link what such a header names, which is not compared with the token (`X-Amz-Copy-Source`).
_OVERRIDE: Final = re.compile(
    r"x[^a-z0-9](?:(?:http[^a-z0-9]method(?:[^a-z0-9]override)?|method[^a-z0-9]override"
    r"|original[^a-z0-9]url|rewrite[^a-z0-9]url)\Z"
    r"|(?:[a-z0-9]*[^a-z0-9])*(?:(?:copy|rename|move|symlink)[^a-z0-9](?:source|from|target)"
    r"|object[^a-z0-9]manifest)(?![a-z0-9]))|destination\Z",
    re.IGNORECASE | re.ASCII,
)
_UPGRADE: Final = re.compile(r"upgrade|http2-settings", re.IGNORECASE | re.ASCII)

_IDENTITY_SENTENCE: Final = (
    "Headers that begin with Latchkey- are set by the gate alone. Leave them out."
)
_OVERRIDE_SENTENCE: Final = (
    "Headers that name another method or URL than the request are not accepted. Leave them out."
)
_UPGRADE_SENTENCE: Final = "The gate does not change protocols. Leave the Upgrade header out."


def refuse_header(name: str) -> Refusal | None:
    """Refuses a header of this name, whatever its value."""
    first = name[:1]
    # All other headers pass at once.
    if first not in "lLxXdDuUhH":
        return None
    if _IDENTITY.match(name):
        return Refusal("bad_request", _IDENTITY_SENTENCE)
    if _OVERRIDE.match(name):
        return Refusal("bad_request", _OVERRIDE_SENTENCE)
    if _UPGRADE.fullmatch(name):
        return Refusal("bad_request", _UPGRADE_SENTENCE)
    return None


def names_identity(names: str) -> bool:
    """Whether a list of header names, as in `Trailer`, names one of the gate's own."""
    return any(_IDENTITY.match(name.strip(SPACES)) for name in names.split(","))

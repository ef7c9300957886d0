"""The path of a storage request, in its one normal spelling only: routers repair the others, each in its own way."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote_to_bytes

# RFC 3986 `pchar` without `;`, after which some routers stop reading.
_PLAIN: Final = r"[A-Za-z0-9._~!$&'()*+,=:@-]"

# Encoded characters that no router takes for a letter, a separator, a dot or the end of the path.
_ENCODED: Final = r"%(?:2[0-246-9A-C]|3[AC-E]|40|5[BDE]|60|7[B-D]|[89A-F][0-9A-F])"

# Neither empty nor dots; unrolled, so that a long path costs one pass.
_SEGMENT: Final = rf"(?!\.{{0,2}}(?:/|\Z)){_PLAIN}*(?:{_ENCODED}{_PLAIN}*)*"
_NORMAL: Final = re.compile(rf"/(?:{_SEGMENT}(?:/{_SEGMENT})*)?", re.IGNORECASE | re.ASCII)
_CONTROLS: Final = re.compile("[\u0080-\u009f]")

# Far more than any storage has; checks before that of the token must stay cheap.
_MAX_PATH: Final = 8192


def is_normal_path(path: str) -> bool:
    """Whether every router reads this raw path alike."""
    return len(path) <= _MAX_PATH and has_normal_segments(path)


def has_normal_segments(path: str) -> bool:
    """The same without a limit, for the path of a trusted party's URL."""
    if _NORMAL.fullmatch(path) is None:
        return False
    if "%" not in path:
        return True
    text = decode_path(path)
    return text is not None and _CONTROLS.search(text) is None


def decode_path(path: str) -> str | None:
    """None when the encoded bytes are no UTF-8."""
    try:
        return unquote_to_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        return None

"""The bearer credential of a request, read from its Authorization headers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from .javascript import SPACES

# RFC 6750 §2.1: `Bearer`, one space, one token68; the scheme in any case (RFC 9110 §11.1).
_SCHEME: Final = "bearer "
_TOKEN68: Final = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
_NEARLY: Final = re.compile(rf"bearer(?:[{SPACES}]|\Z)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Bearer:
    token: str = field(repr=False)


def read_bearer(values: Sequence[str]) -> Bearer | Literal["missing", "malformed"]:
    """`values` are all Authorization headers of the request: two of them are ambiguous, so refused."""
    if not values:
        return "missing"
    if len(values) > 1:
        return "malformed"
    value = values[0]
    if value[: len(_SCHEME)].lower() != _SCHEME:
        return "malformed" if _NEARLY.match(value) else "missing"
    token = value[len(_SCHEME) :]
    return Bearer(token) if _TOKEN68.fullmatch(token) else "malformed"

"""The last line of defence against telling secrets: whatever has the shape of one is cut out of the text."""

from __future__ import annotations

import re
from typing import Final

from .javascript import SPACES

_UNDERSCORE: Final = "(?:_|%(?:25)*5[Ff])"
_WITHIN: Final = "(?:[0-9A-Za-z_.-]|%(?:25)*(?:5[Ff]|2[Ee]))"
_TOKEN: Final = re.compile(
    f"{_UNDERSCORE}[0-9A-Za-z]{{49}}{_WITHIN}*|eyJ[0-9A-Za-z-]{{8}}{_WITHIN}*"
)
_BEARER: Final = re.compile(rf"\bbearer[{SPACES}]+[\w\-.~+/]{{8,}}=*", re.IGNORECASE | re.ASCII)

# Characters that would let a value pretend to be another line or reorder the text on a screen.
_MISLEADING: Final = re.compile(
    "[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def scrub(text: str) -> str:
    without_tokens = _TOKEN.sub(_named, text)
    without_bearers = _BEARER.sub("Bearer [secret]", without_tokens)
    return _MISLEADING.sub(lambda found: f"\\u{ord(found[0]):04x}", without_bearers)


def _named(found: re.Match[str]) -> str:
    return "[access-token]" if found[0].startswith("eyJ") else "[hub-token]"

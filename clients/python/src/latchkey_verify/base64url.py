"""base64url in its one spelling: without padding, and without bits that are thrown away."""

from __future__ import annotations

import binascii
import re
from typing import Final

_LETTERS: Final = re.compile(r"[A-Za-z0-9_-]*")
_TO_URL: Final = bytes.maketrans(b"+/", b"-_")
_FROM_URL: Final = str.maketrans("-_", "+/")


def encode(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).translate(_TO_URL).rstrip(b"=").decode("ascii")


def decode(segment: str) -> bytes | None:
    """None for another spelling of the same bytes, and for what is none."""
    if _LETTERS.fullmatch(segment) is None:
        return None
    try:
        data = binascii.a2b_base64(segment.translate(_FROM_URL) + "=" * (-len(segment) % 4))
    except binascii.Error:
        return None
    return data if encode(data) == segment else None

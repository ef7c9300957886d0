"""What texts are to the gate, which is written in JavaScript, where Python has another idea of it."""

from __future__ import annotations

import json
import re
from typing import Final

# Python counts U+0085 and the separators from U+001C to U+001F as spaces, too.
SPACES: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """Half a surrogate pair, which a claim may hold, becomes the replacement character."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def compact_json(value: object) -> str:
    """As `JSON.stringify` writes it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def parse_json(text: str) -> object:
    """As `JSON.parse` reads it, or ValueError: no NaN, and nesting without end is no crash."""
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
        return value
    except RecursionError:
        raise ValueError("nested too deep") from None


def parse_object(text: str) -> dict[str, object] | None:
    """None for other values, and for what is no JSON."""
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")

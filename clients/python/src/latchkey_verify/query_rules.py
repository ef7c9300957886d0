"""A query that names another method than the request: some frameworks would act on that one."""

from __future__ import annotations

import re
from typing import Final

from .javascript import SPACES

# The parameter as Rails, Laravel, Symfony, WordPress and the override middlewares of Express read it. PHP also reads a
# dot, a space or an opening bracket as `_`, drops spaces before a name, and ends it at a bracket or NUL.
_METHOD_NAME: Final = re.compile(
    rf"[{SPACES}?]*[_. \[]method[{SPACES}]*(?:[\[\0]|\Z)", re.IGNORECASE | re.ASCII
)
_ENCODED: Final = re.compile(r"%([0-9a-fA-F]{2})")
_MAY_HOLD: Final = re.compile(r"method|%", re.IGNORECASE | re.ASCII)


def names_method(query: str) -> bool:
    # Most queries hold neither of these, and are not taken apart.
    if _MAY_HOLD.search(query) is None:
        return False
    parameters = re.split("[&;]", query)
    return any(_METHOD_NAME.match(_decoded(each.partition("=")[0])) for each in parameters)


def _decoded(name: str) -> str:
    """Byte by byte, so that bytes which are no UTF-8 elsewhere in the name do not hide it."""
    return _ENCODED.sub(lambda found: chr(int(found[1], 16)), name.replace("+", " "))

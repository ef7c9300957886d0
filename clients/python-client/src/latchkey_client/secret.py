"""A token that no message, log or traceback shows."""

from __future__ import annotations

import re
from typing import Final

_TOKEN68: Final = re.compile(r"[A-Za-z0-9\-._~+/]+=*")


class Secret:
    """A token. It prints as its kind, and only `reveal()` returns the text."""

    __slots__ = ("_kind", "_text")

    def __init__(self, kind: str, text: str) -> None:
        """Keeps `text` as a secret of this kind, for example `hub-token`."""
        self._kind = kind
        self._text = text

    def reveal(self) -> str:
        """Returns the text itself. Do not log it."""
        return self._text

    def __repr__(self) -> str:
        """The kind in brackets, for example `[access-token]`."""
        return f"[{self._kind}]"

    def __eq__(self, other: object) -> bool:
        """Whether both have the same text."""
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        """By the text."""
        return hash((self._kind, self._text))

    def __reduce__(self) -> str | tuple[object, ...]:
        """Refuses to be pickled: a secret would be text in a file."""
        raise TypeError("a secret cannot be pickled")


def is_bearer_token(text: str) -> bool:
    """Whether a header can carry it as it is."""
    return _TOKEN68.fullmatch(text) is not None

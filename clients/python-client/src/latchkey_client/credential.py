"""The hub token: given once, or asked for and asked for again when the hub no longer takes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .background import Lock
from .error import bad_option
from .secret import Secret, is_bearer_token

#: The token that a user got from the hub.
HubToken = str | Secret
#: A function is called on a thread of the client, and may wait.
HubTokenSource = HubToken | Callable[[], HubToken]


@dataclass(frozen=True)
class HubTokenInUse:
    """A hub token as one request carries it."""

    token: Secret | None
    #: Another number for another token: what was got with one is not used with the next.
    identity: int
    #: Whether it was asked for just now, so that asking again would bring nothing better.
    is_new: bool


class Credential:
    """The identity of a client."""

    def __init__(self, source: HubTokenSource | None) -> None:
        """Fails with `bad_option` for a text that no header can carry."""
        self._source = source if callable(source) else None
        self._token = None if source is None or callable(source) else _checked(source)
        self._text: str | None = None
        self._lock = Lock()
        self.identity = 0

    def get(self) -> HubTokenInUse:
        """Calls the function if there is one and its last token was not taken."""
        source = self._source
        if source is None:
            return HubTokenInUse(self._token, self.identity, True)
        with self._lock:
            if self._token is not None:
                return HubTokenInUse(self._token, self.identity, False)
            token = _checked(source())
            if token.reveal() != self._text:
                self.identity += 1
            self._token, self._text = token, token.reveal()
            return HubTokenInUse(token, self.identity, True)

    def reject(self, used: HubTokenInUse) -> None:
        """The hub did not take it."""
        with self._lock:
            if self._source is not None and used.identity == self.identity:
                self._token = None


def _checked(value: object) -> Secret:
    text = value.reveal() if isinstance(value, Secret) else value
    if isinstance(text, str) and is_bearer_token(text):
        return Secret("hub-token", text)
    raise bad_option("hub_token", "give it alone, without spaces or line ends")

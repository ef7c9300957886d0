"""Tokens on requests that other libraries send: below the storage's URL alone, and again where that helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .error import LatchkeyError
from .patience import Patience, is_transient, read_retry_after
from .scope_rules import Scope
from .steps import Sleep, Steps
from .storage_path import is_normal_path
from .storage_request import Way, path_refused, standard_scope, token_of
from .token_request import StorageToken

_WRITING: Final = frozenset(("PUT", "PATCH", "DELETE"))


class Authorization:
    """The tokens of one request."""

    def __init__(
        self,
        method: str,
        url: str,
        scope: Scope | None,
        way: Way,
        *,
        is_repeatable: bool,
    ) -> None:
        """Requests no token yet. Without a scope, the least one that will do."""
        self._method = method.upper()
        self._url = url.partition("#")[0].partition("?")[0]
        self._chosen = scope
        self._way = way
        self._is_repeatable = is_repeatable
        self._patience = Patience(way.retry_timeout_seconds, way.chance)
        self._is_renewed = False

    def first(self) -> Steps[StorageToken | None]:
        """The token for the request. None if its URL is not one of the storage."""
        # Only a token says where the storage is, and the scope depends on the path below that.
        scope: Scope = self._chosen or ("write" if self._method in _WRITING else "read")
        token = yield from token_of(self._way.tokens(scope))
        path = self._path_below(token)
        if path is None or self._chosen is not None:
            return None if path is None else token
        wanted = standard_scope(self._method, path)
        if wanted == scope:
            return token
        token = yield from token_of(self._way.tokens(wanted))
        return None if self._path_below(token) is None else token

    def next(
        self, token: StorageToken, status: int, headers: Mapping[str, str]
    ) -> Steps[StorageToken | None]:
        """The token to send the request with once more. None if its response is final."""
        if status == 401 and not self._is_renewed:
            self._is_renewed = True
            self._way.tokens(token.scope).drop(token)
            if not self._is_repeatable:
                raise self._not_repeatable(token)
        else:
            wait = self._wait_after(status, headers)
            if wait is None:
                return None
            yield Sleep(wait)
        renewed = yield from token_of(self._way.tokens(token.scope))
        return None if self._path_below(renewed) is None else renewed

    def _wait_after(self, status: int, headers: Mapping[str, str]) -> float | None:
        if not self._is_repeatable or not is_transient(status):
            return None
        now = self._way.now()
        return self._patience.next_wait(now.steady, read_retry_after(headers, now.wall))

    def _path_below(self, token: StorageToken) -> str | None:
        if not self._url.startswith(f"{token.cas_url}/"):
            return None
        path = self._url.removeprefix(token.cas_url)
        if not is_normal_path(path):
            raise path_refused()
        return path

    def _not_repeatable(self, token: StorageToken) -> LatchkeyError:
        return LatchkeyError(
            "body_not_repeatable",
            "The storage rejected the token, and a stream cannot be sent again: give bytes.",
            status=401,
            method=self._method,
            path=self._path_below(token),
        )

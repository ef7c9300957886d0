"""Storage tokens on requests of the library `httpx`, for threads and asyncio. Needs the extra `httpx`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Final, cast

import httpx

from .authorization import Authorization
from .client import Client
from .scope_rules import Scope
from .steps import drive, drive_async
from .token_request import StorageToken

__all__ = ["HttpxAuth"]

#: Of a response that is replaced by another one. The rest is not read.
_MAX_REPLACED: Final = 64 * 1024


class HttpxAuth(httpx.Auth):
    """Sends the token of a client with each request below the storage's URL, and with no other.

    It serves `httpx.Client` and, under asyncio, `httpx.AsyncClient`. Redirects are followed without the token. A 401 is
    repaired once with a new token; 429 and 5xx (except 501) are retried for the client's `retry_timeout_seconds`.
    Network errors are those of `httpx`, and are not retried. A stream can be sent only once.

    Example:

        with httpx.Client(auth=HttpxAuth(client)) as http:
            response = http.get(f"{client.token('read').cas_url}/v1/files/{hash}")
    """

    def __init__(self, client: Client, *, scope: Scope | None = None) -> None:
        """`scope`: of every token. By default that of the client, or the least one that each request needs."""
        self._client = client
        self._scope = scope

    def sync_auth_flow(
        self, request: httpx.Request
    ) -> Generator[httpx.Request, httpx.Response, None]:
        """Sends the request, again where that helps. `httpx.Client` calls it for each request."""
        runtime = self._client._runtime
        authorization = self._authorization(request)
        token = drive(authorization.first(), runtime)
        while True:
            _set(request, token)
            response = yield request
            if token is None or not _is_answer(response, request):
                return
            steps = authorization.next(token, response.status_code, response.headers)
            token = drive(steps, runtime)
            if token is None:
                return
            response.stream = _Bounded(response.stream)

    async def async_auth_flow(
        self, request: httpx.Request
    ) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Sends the request, again where that helps. `httpx.AsyncClient` calls it for each request."""
        runtime = self._client._runtime
        authorization = self._authorization(request)
        token = await drive_async(authorization.first(), runtime)
        while True:
            _set(request, token)
            response = yield request
            if token is None or not _is_answer(response, request):
                return
            steps = authorization.next(token, response.status_code, response.headers)
            token = await drive_async(steps, runtime)
            if token is None:
                return
            response.stream = _Bounded(response.stream)

    def _authorization(self, request: httpx.Request) -> Authorization:
        # Others are read while they are sent.
        is_repeatable = isinstance(request.stream, httpx.ByteStream)
        return self._client._authorization(
            request.method, str(request.url), self._scope, is_repeatable=is_repeatable
        )


def _set(request: httpx.Request, token: StorageToken | None) -> None:
    if token is not None:
        request.headers = _Headers(request.headers, token)


def _is_answer(response: httpx.Response, request: httpx.Request) -> bool:
    """A redirect leads to requests that had no token of ours."""
    return response.request is request and not response.has_redirect_location


class _Headers(httpx.Headers):
    """Headers with a token that is sent, and that no copy of them has: a redirect copies them, and so does a pickle."""

    def __init__(self, headers: httpx.Headers, token: StorageToken) -> None:
        others = httpx.Headers(headers)
        others.pop("authorization", None)
        super().__init__(others)
        self._token = token

    @property
    def raw(self) -> list[tuple[bytes, bytes]]:
        return [*super().raw, (b"Authorization", self._value.encode())]

    def __getitem__(self, key: str) -> str:
        return self._value if key.lower() == "authorization" else super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        return (isinstance(key, str) and key.lower() == "authorization") or super().__contains__(key)

    def __reduce__(self) -> tuple[object, ...]:
        return (httpx.Headers, (super().raw,))

    @property
    def _value(self) -> str:
        return f"Bearer {self._token.access_token.reveal()}"


class _Bounded(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The beginning of a body: `httpx` reads what it replaces, and nobody knows how long that is."""

    def __init__(self, stream: httpx.SyncByteStream | httpx.AsyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        left = _MAX_REPLACED
        for chunk in cast(httpx.SyncByteStream, self._stream):
            left -= len(chunk)
            if left < 0:
                return
            yield chunk

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = _MAX_REPLACED
        async for chunk in cast(httpx.AsyncByteStream, self._stream):
            left -= len(chunk)
            if left < 0:
                return
            yield chunk

    def close(self) -> None:
        cast(httpx.SyncByteStream, self._stream).close()

    async def aclose(self) -> None:
        await cast(httpx.AsyncByteStream, self._stream).aclose()

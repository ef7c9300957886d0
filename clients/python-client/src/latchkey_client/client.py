"""The client: get a token, use it, never think about it again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Final

from .authorization import Authorization
from .credential import Credential, HubTokenSource
from .download import checked_wanted, download
from .file_source import FileSource, content_of
from .file_transfer import OnProgress, StoredFile
from .options import checked_scope, resolve_options
from .patience import Chance, system_chance
from .runtime import SystemRuntime, closed
from .scope_rules import Scope
from .steps import Body, Head, Runtime, Steps, drive, drive_async
from .storage_request import Response, Way, send, storage_request, token_of
from .token_request import StorageToken
from .token_source import TokenSource
from .upload import checked_upload_id, upload

SCOPES: Final[tuple[Scope, Scope]] = ("read", "write")
#: Of a response that is kept in memory.
MAX_BYTES: Final = 64 * 1024 * 1024


class Client:
    """The tokens of one repository and revision, for one identity, and requests that carry them.

    One client serves all threads and asyncio tasks of a process: those that need a token at the same time share one
    token request. The methods whose names end in `_async` are for asyncio, the others for threads. Use it as a context
    manager, or call `close()`.
    """

    def __init__(
        self,
        hub: str,
        repo: str,
        revision: str = "main",
        scope: Scope | None = None,
        *,
        hub_token: HubTokenSource | None = None,
        refresh_buffer_seconds: float = 30,
        retry_timeout_seconds: float = 60,
        allow_plain_http: bool = False,
        _runtime: Runtime | None = None,
        _chance: Chance = system_chance,
    ) -> None:
        """Checks the options. The first request is sent when a token is needed.

        `hub`: the URL of the hub. `repo`: for example `models/acme/bert`. `revision`: a branch, a tag, another ref or
        a full commit hash. `scope`: the scope of every token; by default each request gets the least one that will do.
        `hub_token`: the hub token, or a function that returns it and that is called again when the hub rejects it;
        by default the client is anonymous. `refresh_buffer_seconds`: how long before its expiry a token counts as
        expired. `retry_timeout_seconds`: how long a call is retried after its first failure. `allow_plain_http`: send
        tokens over http to other machines, where everybody on the way can read them.
        """
        self._options = resolve_options(
            hub=hub,
            repo=repo,
            revision=revision,
            scope=scope,
            refresh_buffer_seconds=refresh_buffer_seconds,
            retry_timeout_seconds=retry_timeout_seconds,
            allow_plain_http=allow_plain_http,
        )
        credential = Credential(hub_token)
        self._runtime = SystemRuntime() if _runtime is None else _runtime
        self._sources: dict[Scope, TokenSource] = {
            each: TokenSource(each, self._options, credential, self._runtime, _chance) for each in SCOPES
        }
        self._way = Way(
            self._sources.__getitem__,
            self._runtime.now,
            _chance,
            self._options.retry_timeout_seconds,
        )

    def token(self, scope: Scope | None = None) -> StorageToken:
        """Returns the token that is held, or a new one. Without a scope: that of the client, or `read`."""
        return drive(token_of(self._source(scope)), self._runtime)

    async def token_async(self, scope: Scope | None = None) -> StorageToken:
        """Returns the token that is held, or a new one. Without a scope: that of the client, or `read`."""
        return await drive_async(token_of(self._source(scope)), self._runtime)

    def discard(self, token: StorageToken) -> None:
        """Holds this token no longer, because the storage rejected it. The next call requests another one."""
        for source in self._sources.values():
            source.drop(token)

    def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        scope: Scope | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> Response:
        """Sends a request below the storage's URL and returns the response, whatever its status.

        A 401 is repaired once with a new token. 429, 5xx (except 501) and network errors are retried. Redirects are
        not followed. A response of more than `max_bytes` is an error: use `download` for files.
        """
        steps = self._request(method, path, headers, content, scope, max_bytes)
        return drive(steps, self._runtime)

    async def request_async(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        scope: Scope | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> Response:
        """Does what `request` does, in asyncio."""
        steps = self._request(method, path, headers, content, scope, max_bytes)
        return await drive_async(steps, self._runtime)

    def upload(
        self,
        source: FileSource,
        *,
        upload_id: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> StoredFile:
        """Uploads a file and returns its hash, SHA-256 and size.

        `source`: a path, or a file that is open in binary mode. A seekable one is sent from its current position, and
        never all in memory; of a stream, two pieces of 8 MiB are. `upload_id`: up to 128 letters, digits, `_` and `-`.
        Another process that gives the same ID and content goes on with the upload, until 24 hours after its last byte.
        `on_progress(bytes, total)` is called on a thread of the client.

        After network errors, 429 and 5xx (except 501), the client asks what arrived and sends the rest, until there was
        no progress for `retry_timeout_seconds`.
        """
        return drive(self._upload(source, upload_id, on_progress), self._runtime)

    async def upload_async(
        self,
        source: FileSource,
        *,
        upload_id: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> StoredFile:
        """Does what `upload` does, in asyncio. `source.read` may return an awaitable."""
        return await drive_async(self._upload(source, upload_id, on_progress), self._runtime)

    def download(
        self,
        hash: str,
        path: str | os.PathLike[str],
        *,
        sha256: str | None = None,
        max_bytes: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> StoredFile:
        """Downloads a file to `path`, and returns its hash, SHA-256 and size.

        `path` is written when all bytes are there; before that, the bytes are in a hidden file beside it. `sha256`: of
        the bytes, if you know it; others are an error. `max_bytes`: a longer file is an error. `on_progress(bytes,
        total)` is called on a thread of the client.

        After network errors, 429 and 5xx (except 501), the client downloads the rest, until there was no progress for
        `retry_timeout_seconds`.
        """
        return drive(self._download(hash, path, sha256, max_bytes, on_progress), self._runtime)

    async def download_async(
        self,
        hash: str,
        path: str | os.PathLike[str],
        *,
        sha256: str | None = None,
        max_bytes: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> StoredFile:
        """Does what `download` does, in asyncio."""
        steps = self._download(hash, path, sha256, max_bytes, on_progress)
        return await drive_async(steps, self._runtime)

    def close(self) -> None:
        """Ends all that is under way, and forgets the tokens."""
        for source in self._sources.values():
            source.close(closed)
        self._runtime.close()

    def __enter__(self) -> Client:
        """Returns the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the client."""
        self.close()

    async def __aenter__(self) -> Client:
        """Returns the client itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the client."""
        self.close()

    def __repr__(self) -> str:
        """Repository and revision, without any token."""
        return f"Client({self._options.repo!r}, {self._options.revision!r})"

    def _upload(
        self, source: FileSource, upload_id: str | None, on_progress: OnProgress | None
    ) -> Steps[StoredFile]:
        name = checked_upload_id(upload_id)
        content = content_of(source)
        try:
            scope = self._scope(None) or "write"
            file = yield from upload(content, self._way, scope, name, on_progress)
        finally:
            content.close()
        return file

    def _download(
        self,
        hash: str,
        path: str | os.PathLike[str],
        sha256: str | None,
        max_bytes: int | None,
        on_progress: OnProgress | None,
    ) -> Steps[StoredFile]:
        wanted = checked_wanted(hash, path, sha256, max_bytes)
        scope = self._scope(None) or "read"
        return (yield from download(wanted, self._way, scope, on_progress))

    def _authorization(
        self, method: str, url: str, scope: Scope | None, *, is_repeatable: bool
    ) -> Authorization:
        return Authorization(
            method, url, self._scope(scope), self._way, is_repeatable=is_repeatable
        )

    def _source(self, scope: Scope | None) -> TokenSource:
        return self._sources[self._scope(scope) or "read"]

    def _scope(self, scope: Scope | None) -> Scope | None:
        return self._options.scope if scope is None else checked_scope(scope)

    def _request(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None,
        content: bytes | None,
        scope: Scope | None,
        max_bytes: int,
    ) -> Steps[Response]:
        body = None
        if content is not None:
            data = bytes(content)
            body = Body(len(data), lambda: [data])
        request = storage_request(
            method,
            path,
            lambda head, chunks: _response(head, chunks, max_bytes),
            scope=self._scope(scope),
            headers=headers,
            body=body,
        )
        answer = yield from send(request, self._way)
        if answer.result is None:
            message = f"The response has more than {max_bytes} bytes."
            raise request.failed("too_large", message, status=answer.head.status)
        response: Response = answer.result
        return response


def _response(head: Head, chunks: Iterator[bytes], max_bytes: int) -> Response | None:
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) > max_bytes:
            return None
    return Response(head.status, head.headers, bytes(found))

"""A request to the storage: with a token, again where that helps, and below the storage's own URL alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .error import LatchkeyError, bad_option
from .patience import Chance, Patience, is_transient, read_retry_after
from .scope_rules import Scope, scope_rules
from .service_url import parse_service_url
from .steps import Body, Head, Moment, Receive, Send, Sleep, Steps, Unreachable
from .storage_path import is_normal_path
from .token_request import StorageToken
from .token_source import TokenSource

#: Characters of a query that every URL parser leaves as they are.
_QUERY: Final = re.compile(r"(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?\[\]^`{|}\\]|%)*")
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE: Final = re.compile(r"[\t -~]*")
_METHOD: Final = re.compile(r"[A-Z]{1,20}")
#: The client sets these itself.
_OWN_HEADERS: Final = frozenset(
    ("authorization", "connection", "content-length", "host", "transfer-encoding")
)

standard_scope: Final = scope_rules()


@dataclass(frozen=True)
class Response:
    """The response of the storage, whatever its status."""

    status: int
    #: Names are in lower case.
    headers: Mapping[str, str]
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class StorageRequest:
    """A request below the storage's URL, checked."""

    method: str
    #: Without the query. The scope is decided by it, and errors show it.
    path: str
    #: The path with its query, as it was given.
    target: str
    scope: Scope
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    receive: Receive
    body: Body | None = None

    def failed(self, code: str, message: str, **facts: Any) -> LatchkeyError:
        """An error about this request."""
        return LatchkeyError(code, message, method=self.method, path=self.path, **facts)


@dataclass(frozen=True)
class Way:
    """What a request needs on its way."""

    tokens: Callable[[Scope], TokenSource]
    now: Callable[[], Moment]
    chance: Chance
    retry_timeout_seconds: float


@dataclass(frozen=True)
class Answer:
    """A response, and what `receive` made of it."""

    head: Head
    result: Any
    token: StorageToken


def storage_request(
    method: str,
    target: str,
    receive: Receive,
    *,
    scope: Scope | None = None,
    headers: Mapping[str, str] | None = None,
    body: Body | None = None,
) -> StorageRequest:
    """Refuses what could lead a token astray. No value is repeated in the error."""
    path, mark, query = str(target).partition("?")
    if not is_normal_path(path) or not _QUERY.fullmatch(query):
        raise path_refused()
    verb = str(method).upper()
    if not _METHOD.fullmatch(verb):
        raise bad_option("method", "give a word such as GET")
    wanted = scope or standard_scope(verb, path)
    pairs = tuple(_headers_of(headers or {}))
    return StorageRequest(verb, path, path + mark + query, wanted, pairs, receive, body)


def path_refused() -> LatchkeyError:
    """The path is not repeated: it may hold anything."""
    return LatchkeyError(
        "path_refused",
        "The path is not in its normal form: one slash first, no part empty or dots, the rest percent-encoded.",
    )


def _headers_of(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise bad_option("headers", "a name or a value holds what no header may")
        if name.lower() not in _OWN_HEADERS:
            yield name.lower(), value


def send_once(request: StorageRequest, way: Way) -> Steps[Answer | LatchkeyError]:
    """One request; after a 401, one more with a new token. An error is one of the network."""
    is_renewed = False
    while True:
        tokens = way.tokens(request.scope)
        token = yield from token_of(tokens)
        outcome = yield from _send(request, token)
        if is_renewed or isinstance(outcome, LatchkeyError) or outcome.head.status != 401:
            return outcome
        is_renewed = True
        tokens.drop(token)


def send(request: StorageRequest, way: Way) -> Steps[Answer]:
    """Repeats the request where that may help. Raises the last error, if that was one."""
    patience = Patience(way.retry_timeout_seconds, way.chance)
    while True:
        outcome = yield from send_once(request, way)
        after = seconds_after(outcome, way)
        wait = None if after is None else patience.next_wait(way.now().steady, after)
        if wait is not None:
            yield Sleep(wait)
        elif isinstance(outcome, LatchkeyError):
            raise outcome
        else:
            return outcome


def token_of(tokens: TokenSource) -> Steps[StorageToken]:
    """The token that is held, or the one that all who need it wait for."""
    found = tokens.get()
    if isinstance(found, StorageToken):
        return found
    outcome: StorageToken | LatchkeyError = yield found
    if isinstance(outcome, LatchkeyError):
        raise outcome.copy()
    return outcome


def seconds_after(outcome: Answer | LatchkeyError, way: Way) -> int | None:
    """How long the storage wants to be left alone. None for an outcome that is final."""
    if isinstance(outcome, LatchkeyError):
        return 0 if outcome.code == "storage_unreachable" else None
    if not is_transient(outcome.head.status):
        return None
    return read_retry_after(outcome.head.headers, way.now().wall)


def _send(request: StorageRequest, token: StorageToken) -> Steps[Answer | LatchkeyError]:
    heads: list[Head] = []

    def receive(head: Head, chunks: Iterator[bytes]) -> Any:
        heads.append(head)
        return request.receive(head, chunks)

    url = token.cas_url + request.target
    try:
        result = yield Send(
            request.method, url, request.headers, token.access_token, receive, request.body
        )
        return Answer(heads[0], result, token)
    except Unreachable as error:
        reason = error.reason
    # No more of the URL is told: it may be long, and its path may hold anything.
    origin = parse_service_url(token.cas_url)
    where = "" if origin is None else f" {origin.origin}"
    reason = f" ({reason})" if reason else ""
    return request.failed("storage_unreachable", f"The storage{where} cannot be reached{reason}.")

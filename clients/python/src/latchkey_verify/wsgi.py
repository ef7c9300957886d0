"""The gate for WSGI servers: Flask, Django, Bottle and whatever else speaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

from .answer import GATE_FAILED, answer_refusal
from .background import log
from .gate import Admission, Gate, Rejection
from .grant import Grant
from .refusal import Refusal
from .request import PATH_EXPECTED, Request, own_path
from .running_request import ADMITTED as ADMITTED
from .running_request import TokenRevoked as TokenRevoked

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
App = Callable[[Environ, StartResponse], Iterable[bytes]]

#: Where servers put the request target as it came.
_RAW_TARGETS: Final = ("RAW_URI", "REQUEST_URI")

# What a path may hold besides letters and digits without being encoded.
_PLAIN: Final = "/-._~!$&'()*+,=:@;"


class WsgiGuard:
    """Calls the application for admitted requests and answers the others; put it before all that serves.

    A request whose path was rewritten before is not let through.
    """

    def __init__(
        self,
        app: App,
        gate: Gate,
        address_of: Callable[[Environ], str | None] | None = None,
    ) -> None:
        """`address_of` gives the address of a client behind a proxy, for the limit of failures."""
        self._app = app
        self._gate = gate
        self._address_of = address_of or _client_address

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        self._gate.start()
        request = _request_of(environ, self._address_of(environ))
        checked = self._check(environ, request)
        if isinstance(checked, Rejection):
            return _refuse(start_response, checked.refusal, request)
        check = _GrantCheck(self._gate, checked.grant)
        guarded = {
            **environ,
            ADMITTED: checked,
            "wsgi.input": _CheckedInput(environ["wsgi.input"], check),
        }
        # With it a server sends a whole file after one word, and a revoked token would not end that.
        guarded.pop("wsgi.file_wrapper", None)
        return _CheckedBody(self._app(guarded, _checked_start(start_response, check)), check)

    def _check(self, environ: Environ, request: Request) -> Admission | Rejection:
        try:
            checked = self._gate.check(request)
        except Exception:
            log.exception("a request could not be checked")
            return Rejection(GATE_FAILED)
        if isinstance(checked, Admission) and not _is_routed_as_checked(environ, request):
            return Rejection(Refusal("bad_request", PATH_EXPECTED))
        return checked


class _GrantCheck:
    def __init__(self, gate: Gate, grant: Grant) -> None:
        self._gate = gate
        self._grant = grant

    def __call__(self) -> None:
        if self._gate.check_grant(self._grant) is not None:
            raise TokenRevoked


def _checked_start(start_response: StartResponse, check: _GrantCheck) -> StartResponse:
    """Old applications write with what it gives (PEP 3333), instead of giving a body."""

    def start(*words: Any, **named: Any) -> Callable[[bytes], None]:
        write = start_response(*words, **named)

        def checked_write(data: bytes) -> None:
            check()
            write(data)

        return checked_write

    return start


class _CheckedInput:
    """The body of a request, which ends with an error when its token is revoked."""

    def __init__(self, body: Any, check: _GrantCheck) -> None:
        self._body = body
        self._check_grant = check

    def read(self, *size: int) -> bytes:
        return self._after_check(self._body.read(*size))

    def readline(self, *size: int) -> bytes:
        return self._after_check(self._body.readline(*size))

    def readlines(self, *hint: int) -> list[bytes]:
        lines: list[bytes] = self._body.readlines(*hint)
        self._check_grant()
        return lines

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _after_check(self, data: bytes) -> bytes:
        self._check_grant()
        return data


class _CheckedBody:
    """The body of an answer. An error in it makes the server end the connection: nobody takes the part for the whole."""

    def __init__(self, body: Iterable[bytes], check: _GrantCheck) -> None:
        self._body = body
        self._parts = iter(body)
        self._check_grant = check

    def __iter__(self) -> _CheckedBody:
        return self

    def __next__(self) -> bytes:
        part = next(self._parts)
        self._check_grant()
        return part

    def close(self) -> None:
        close = getattr(self._body, "close", None)
        if close is not None:
            close()


def _request_of(environ: Environ, address: str | None) -> Request:
    return Request(environ["REQUEST_METHOD"], _target_of(environ), _headers_of(environ), address)


def _target_of(environ: Environ) -> str:
    """As it came, where the server tells; otherwise the decoded path, by which the application routes too."""
    for name in _RAW_TARGETS:
        raw = environ.get(name)
        if raw:
            return str(raw)
    path = quote(_path_of(environ), safe=_PLAIN, encoding="latin-1", errors="replace")
    query = environ.get("QUERY_STRING") or ""
    return f"{path}?{query}" if query else path


def _path_of(environ: Environ) -> str:
    return str(environ.get("SCRIPT_NAME", "")) + str(environ.get("PATH_INFO", ""))


def _is_routed_as_checked(environ: Environ, request: Request) -> bool:
    return unquote_to_bytes(own_path(request.target)).decode("latin-1") == _path_of(environ)


def _headers_of(environ: Environ) -> list[tuple[str, str]]:
    headers = [
        (name[len("HTTP_") :].replace("_", "-"), str(value))
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
    length = environ.get("CONTENT_LENGTH")
    # nginx hands the same header on as both.
    if not length or environ.get("HTTP_CONTENT_LENGTH") == length:
        return headers
    return [*headers, ("CONTENT-LENGTH", str(length))]


def _client_address(environ: Environ) -> str | None:
    return environ.get("REMOTE_ADDR")


def _refuse(
    start_response: StartResponse, refusal: Refusal, request: Request
) -> Iterable[bytes]:
    answer = answer_refusal(refusal, request.headers)
    start_response(f"{answer.status} {HTTPStatus(answer.status).phrase}", answer.headers)
    return [] if request.method == "HEAD" else [answer.body]

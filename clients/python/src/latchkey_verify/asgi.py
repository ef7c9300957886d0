"""The gate for ASGI servers: Starlette, FastAPI, Quart, Litestar and whatever else speaks it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from .answer import GATE_FAILED, answer_refusal
from .background import log
from .gate import Admission, Gate, Rejection
from .refusal import Refusal
from .request import PATH_EXPECTED, Request, own_path
from .storage_path import decode_path
from .running_request import ADMITTED as ADMITTED
from .running_request import TokenRevoked as TokenRevoked

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: With these a server sends a whole file after one word, and a revoked token would not end that.
_UNGUARDED: Final = ("http.response.pathsend", "http.response.zerocopysend")


class AsgiGuard:
    """Calls the application for admitted requests and answers the others; put it before all that serves.

    Neither WebSockets nor a request whose path was rewritten before is let through.
    """

    def __init__(
        self,
        app: App,
        gate: Gate,
        address_of: Callable[[Scope], str | None] | None = None,
    ) -> None:
        """`address_of` gives the address of a client behind a proxy, for the limit of failures."""
        self._app = app
        self._gate = gate
        self._address_of = address_of or _client_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._gate.start()
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._guard(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            raise RuntimeError(f"the gate knows nothing of {scope['type']}")

    async def _guard(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _request_of(scope, self._address_of(scope))
        try:
            checked = await self._gate.check_async(request)
        except Exception:
            log.exception("a request could not be checked")
            checked = Rejection(GATE_FAILED)
        if isinstance(checked, Rejection):
            await _refuse(send, checked.refusal, request)
            return
        routed = _routed(scope, checked)
        if routed is None:
            await _refuse(send, Refusal("bad_request", PATH_EXPECTED), request)
            return
        await _Running(self._gate, checked, request, send).run(self._app, routed, receive)


class _Running:
    """An admitted request, checked again whenever it receives or sends."""

    def __init__(self, gate: Gate, admitted: Admission, request: Request, send: Send) -> None:
        self._gate = gate
        self._grant = admitted.grant
        self._request = request
        self._send = send
        self._has_begun = False
        self._has_ended = False
        self._refusal: Refusal | None = None

    async def run(self, app: App, scope: Scope, receive: Receive) -> None:
        async def checked_receive() -> Message:
            message = await receive()
            self._check()
            return message

        async def checked_send(message: Message) -> None:
            self._check()
            self._has_begun = True
            self._has_ended = message["type"] == "http.response.body" and not message.get(
                "more_body", False
            )
            await self._send(message)

        try:
            await app(scope, checked_receive, checked_send)
        except Exception:
            if self._refusal is None or self._has_begun:
                raise
        if self._refusal is None or self._has_ended:
            return
        if self._has_begun:
            # The server resets the connection, so that nobody takes the part for the whole.
            raise TokenRevoked
        await _refuse(self._send, self._refusal, self._request)

    def _check(self) -> None:
        if self._has_ended:
            return
        self._refusal = self._refusal or self._gate.check_grant(self._grant)
        if self._refusal is not None:
            raise TokenRevoked


def _request_of(scope: Scope, address: str | None) -> Request:
    # Without the raw path nothing can be checked: an empty target is refused.
    path: bytes = scope.get("raw_path") or b""
    query: bytes = scope.get("query_string") or b""
    target = path + b"?" + query if query else path
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    return Request(scope["method"], target.decode("latin-1"), headers, address)


def _routed(scope: Scope, admitted: Admission) -> Scope | None:
    """The scope for the application; None when it would route by another path than was checked."""
    raw = scope["raw_path"].decode("latin-1")
    if scope["path"] != decode_path(raw):
        return None
    own = own_path(raw)
    extensions = scope.get("extensions") or {}
    return {
        **scope,
        "path": decode_path(own),
        "raw_path": own.encode("ascii"),
        "extensions": {name: extensions[name] for name in extensions if name not in _UNGUARDED},
        ADMITTED: admitted,
    }


def _client_address(scope: Scope) -> str | None:
    client = scope.get("client")
    return client[0] if client else None


async def _refuse(send: Send, refusal: Refusal, request: Request) -> None:
    answer = answer_refusal(refusal, request.headers)
    headers = [(name.lower().encode(), value.encode()) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    body = b"" if request.method == "HEAD" else answer.body
    await send({"type": "http.response.body", "body": body})

"""A hub and a storage on sockets of this machine, and a client of them that never really sleeps."""

from __future__ import annotations

import json
import threading
import time
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from latchkey_client import Client
from latchkey_client.runtime import SystemRuntime
from latchkey_client.steps import Moment, Sleep, Step

PLACE = "/r/bert/main"


@dataclass
class Request:
    """A request as a server received it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def token(self) -> str | None:
        value = self.headers.get("authorization")
        return None if value is None else value.removeprefix("Bearer ")


Reply = tuple[int, dict[str, str], bytes] | Callable[[BaseHTTPRequestHandler], None]
Answering = Callable[[Request], Reply]


class Server:
    """Records each request, and answers as `answer` says: with a reply, or by writing to the connection itself."""

    def __init__(self, test: unittest.TestCase, answer: Answering) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        #: None breaks the connection.
        self.read_body: Callable[[BaseHTTPRequestHandler, dict[str, str]], bytes | None] = read_body
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def parse_request(self) -> bool:
                if not super().parse_request():
                    return False
                setattr(self, f"do_{self.command}", lambda: server._handle(self))
                return True

            def log_message(self, *_: Any) -> None:
                pass

        self._http = _Http(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        test.addCleanup(self._http.server_close)
        test.addCleanup(self._http.shutdown)

    def tokens(self) -> list[str | None]:
        return [each.token for each in self.requests]

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = self.read_body(handler, headers)
        request = Request(handler.command, handler.path, headers, body or b"")
        self.requests.append(request)
        if body is None:
            handler.close_connection = True
            return
        reply = self.answer(request)
        if callable(reply):
            handler.close_connection = True
            reply(handler)
            return
        status, extra, body = reply
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **extra}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(body)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128


def read_body(handler: BaseHTTPRequestHandler, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return handler.rfile.read(int(headers.get("content-length", 0)))
    found = b""
    while size := int(handler.rfile.readline(), 16):
        found += handler.rfile.read(size)
        handler.rfile.readline()
    handler.rfile.readline()
    return found


class World:
    """A hub whose tokens open the storage, and a third server that must never see one."""

    def __init__(self, test: unittest.TestCase) -> None:
        self.issued: list[str] = []
        self.revoked: set[str] = set()
        #: Instead of the usual response, for requests with a good token.
        self.replies: list[Reply | None] = []
        #: The usual response.
        self.usual: Answering = lambda _: (200, {}, b"stored")
        self.hub = Server(test, self._issue)
        self.storage = Server(test, self._serve)
        self.other = Server(test, lambda _: (200, {}, b"other"))
        self.cas_url = self.storage.url + PLACE
        self.lifetime_seconds = 900

    def _issue(self, request: Request) -> Reply:
        scope = "write" if "-write-token/" in request.target else "read"
        token = f"{scope}.{len(self.issued) + 1}.secret-token"
        self.issued.append(token)
        exp = int(time.time()) + self.lifetime_seconds
        members = {"accessToken": token, "exp": exp, "casUrl": self.cas_url}
        return 200, {}, json.dumps(members).encode()

    def _serve(self, request: Request) -> Reply:
        if request.token not in self.issued or request.token in self.revoked:
            return 401, {}, b'{"code":"token_invalid"}'
        reply = self.replies.pop(0) if self.replies else None
        return self.usual(request) if reply is None else reply


class HastyRuntime(SystemRuntime):
    """Its sleeps move its clocks and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    def now(self) -> Moment:
        passed = sum(self.slept)
        return Moment(time.monotonic() + passed, time.time() + passed)

    def take(self, step: Step) -> Any:
        if isinstance(step, Sleep):
            self.slept.append(step.seconds)
            return None
        return super().take(step)

    async def take_async(self, step: Step) -> Any:
        if isinstance(step, Sleep):
            self.slept.append(step.seconds)
            return None
        return await super().take_async(step)


def client_of(test: unittest.TestCase, world: World, **options: Any) -> Client:
    """For `models/acme/bert` at main; closed after the test."""
    given = {"hub_token": "lk_hub-secret", "_runtime": HastyRuntime(), **options}
    client = Client(world.hub.url, "models/acme/bert", **given)
    test.addCleanup(client.close)
    return client

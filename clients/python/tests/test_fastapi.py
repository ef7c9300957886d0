"""The gate in FastAPI, and in servers that run: requests over sockets, as they come."""

from __future__ import annotations

import json
import socket
import threading
import time
import unittest
from collections.abc import Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import uvicorn
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from hub import PREFIX, Hub, gate_of
from latchkey_verify.asgi import ADMITTED
from latchkey_verify.fastapi import Guarded, guard
from latchkey_verify.wsgi import Environ, StartResponse, WsgiGuard


def ask(port: int, method: str, target: str, *headers: str) -> tuple[int, Any]:
    """Sends a request line as it stands; gives the status and the JSON of the answer."""
    lines = [f"{method} {target} HTTP/1.1", "Host: cas.example", "Connection: close", *headers]
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), json.loads(body) if body.startswith(b"{") else body


class Quiet(WSGIRequestHandler):
    def log_message(self, *_words: object) -> None:
        pass


class InServers(unittest.TestCase):
    def setUp(self) -> None:
        self.hub = Hub()
        self.addCleanup(self.hub.close)
        self.gate = gate_of(self.hub)
        self.addCleanup(self.gate.close)

    def check_all(self, port: int) -> None:
        read = f"Authorization: Bearer {self.hub.sign()}"
        write = f"Authorization: Bearer {self.hub.sign(scope='write')}"
        status, seen = ask(port, "GET", f"{PREFIX}/v1/chunks/a?b=c", read)
        self.assertEqual((status, seen), (200, {"subject": "ada-id", "path": "/v1/chunks/a"}))
        self.assertEqual(ask(port, "POST", f"{PREFIX}/v1/shards", write)[0], 200)
        other = PREFIX.replace("mainuid", "otheruid")
        refused: list[tuple[int, str, str, str, list[str]]] = [
            (401, "storage_token_missing", "GET", f"{PREFIX}/v1/chunks/a", []),
            (401, "storage_token_invalid", "GET", f"{PREFIX}/v1/chunks/a", [read[:-4] + "AAAA"]),
            (401, "storage_token_invalid", "GET", f"{PREFIX}/v1/chunks/a", [read, read]),
            (403, "insufficient_scope", "POST", f"{PREFIX}/v1/shards", [read]),
            (403, "insufficient_scope", "POST", f"{PREFIX}/v1/%EF%BD%98orbs/a", [read]),
            (403, "ref_mismatch", "GET", f"{other}/v1/chunks/a", [read]),
            (400, "bad_request", "GET", f"{PREFIX}/v1/chunks/a", [read, "Latchkey-Scope: write"]),
            (400, "bad_request", "GET", f"{PREFIX}/v1/chunks/a", [read, "X-HTTP-Method-Override: PUT"]),
            (400, "bad_request", "GET", f"{PREFIX}/v1/../chunks/a", [read]),
            (400, "bad_request", "GET", f"{PREFIX}//v1/chunks/a", [read]),
            (400, "bad_request", "GET", f"{PREFIX}/v1/chunks/a?_method=PUT", [read]),
            (400, "bad_request", "GET", f"{PREFIX}/v1/chunks/a", [read, "Upgrade: h2c"]),
        ]
        for status, code, method, target, headers in refused:
            with self.subTest(code=code, method=method, target=target):
                found, problem = ask(port, method, target, *headers)
                self.assertEqual((found, problem["code"]), (status, code))
        self.hub.take_back("account", "ada-id")
        self.gate.refresh()
        found, problem = ask(port, "GET", f"{PREFIX}/v1/chunks/a", read)
        self.assertEqual((found, problem["code"]), (401, "storage_token_invalid"))

    def test_fastapi_under_uvicorn_admits_the_right_token_and_no_other(self) -> None:
        app = FastAPI()
        self.routes(app)
        guard(app, self.gate)
        self.check_all(self.serve(app))

    def test_a_page_of_another_origin_may_ask_where_cors_is_outside(self) -> None:
        app = FastAPI()
        self.routes(app)
        guard(app, self.gate)
        app.add_middleware(CORSMiddleware, allow_origins=["https://app.example"])
        headers = ["Origin: https://app.example", "Access-Control-Request-Method: GET"]
        self.assertEqual(ask(self.serve(app), "OPTIONS", f"{PREFIX}/v1/chunks/a", *headers)[0], 200)

    def test_a_route_that_the_gate_does_not_guard_is_not_served(self) -> None:
        app = FastAPI()
        self.routes(app)
        with self.assertLogs("uvicorn.error", "ERROR"):
            self.assertEqual(ask(self.serve(app), "GET", f"{PREFIX}/v1/chunks/a")[0], 500)

    def test_an_application_under_wsgiref_admits_the_right_token_and_no_other(self) -> None:
        def app(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
            found = environ[ADMITTED]
            start_response("200 OK", [("Content-Type", "application/json")])
            return [json.dumps({"subject": found.grant.subject, "path": found.path}).encode()]

        server = make_server("127.0.0.1", 0, WsgiGuard(app, self.gate), handler_class=Quiet)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.check_all(server.server_port)

    def routes(self, app: FastAPI) -> None:
        @app.api_route("/r/{repo}/{ref}/{rest:path}", methods=["GET", "POST"])
        def serve(rest: str, passed: Guarded) -> dict[str, str]:
            self.assertEqual(f"/{rest}", passed.path)
            return {"subject": passed.grant.subject, "path": passed.path}

    def serve(self, app: FastAPI) -> int:
        listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="error", log_config=None, lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()

        def end() -> None:
            server.should_exit = True
            thread.join(30)

        self.addCleanup(end)
        deadline = time.monotonic() + 30
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        port: int = listening.getsockname()[1]
        return port


if __name__ == "__main__":
    unittest.main()

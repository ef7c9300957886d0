"""The guard for WSGI: the vectors through it, and what only a WSGI server can bring."""

from __future__ import annotations

import unittest
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote_to_bytes

import vectors
from answers import Got, assert_owed
from latchkey_verify.asgi import ADMITTED, TokenRevoked
from latchkey_verify.request import own_path
from latchkey_verify.token_refusals import token_invalid
from latchkey_verify.wsgi import App, Environ, StartResponse, WsgiGuard
from test_asgi import good_vector, checked_again


def environ_of(vector: vectors.Vector, **change: Any) -> Environ:
    """As gunicorn makes it of a request."""
    target = vector.target.encode().decode("latin-1")
    is_path = target.startswith("/") or target.count("/") > 2
    path, query = own_path(target) if is_path else target, target.partition("?")[2]
    environ: Environ = {
        "REQUEST_METHOD": vector.method,
        "RAW_URI": target,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path.encode("latin-1")).decode("latin-1"),
        "QUERY_STRING": query,
        "REMOTE_ADDR": "192.0.2.1",
        "wsgi.input": BytesIO(vector.body.encode()),
    }
    for name, value in vector.headers:
        key = name.upper().replace("-", "_")
        key = key if key == "CONTENT_LENGTH" else f"HTTP_{key}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    return {**environ, **change}


def without_raw_target(vector: vectors.Vector) -> Environ:
    """As wsgiref makes it."""
    environ = environ_of(vector)
    del environ["RAW_URI"]
    return environ


def call(app: App, environ: Environ) -> tuple[int, dict[str, str], Iterable[bytes]]:
    started: list[Any] = []
    body = app(environ, lambda *words: started.extend(words))
    parts = list(body)
    return int(started[0][:3]), {name.lower(): value for name, value in started[1]}, parts


class Vectors(unittest.TestCase):
    heard: tuple[dict[str, str], str] | None = None

    def app(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        admitted = environ[ADMITTED]
        self.heard = (vectors.shown(admitted.grant), admitted.path + admitted.query)
        start_response("200 OK", [])
        return [environ["wsgi.input"].read()]

    def check_all(self, each: list[vectors.Vector]) -> None:
        guard = WsgiGuard(self.app, vectors.gate())
        for vector in each:
            with self.subTest(vector.name):
                self.heard = None
                status, headers, parts = call(guard, environ_of(vector))
                got = Got(status, headers, b"".join(parts), self.heard)
                assert_owed(self, vector, got)

    def test_every_single_request_is_answered_as_it_is_owed(self) -> None:
        # The server joins the values of a repeated header, and then the first scheme counts.
        joined = "two Authorization headers, one Basic"
        self.check_all([each for each in vectors.requests() if each.name != joined])

    def test_a_part_of_all_combinations_is_answered_as_it_is_owed(self) -> None:
        self.check_all(vectors.matrix()[::7])

    def test_a_server_that_tells_only_the_decoded_path_admits_to_no_other_place_and_no_write_route(
        self,
    ) -> None:
        guard = WsgiGuard(self.app, vectors.gate())
        admitted = 0
        for vector in [*vectors.requests(), *vectors.matrix()[::7]]:
            with self.subTest(vector.name):
                self.heard = None
                environ = without_raw_target(vector)
                call(guard, environ)
                if self.heard is None:
                    continue
                admitted += 1
                grant, path = self.heard[0], environ["PATH_INFO"].encode("latin-1").decode()
                self.assertRegex(path, f"^/r/{grant['repositoryUid']}/{grant['refUid']}(-[0-9]+)?(/|$)")
                self.assertNotRegex(path, r"//|/\.|;|\\|%")
                if grant["scope"] == "read" and vector.method not in ("GET", "HEAD", "OPTIONS"):
                    self.assertEqual(vector.method, "POST")
                    self.assertNotRegex(normalize("NFKD", path).upper(), "/(SHARD|XORB)")
        self.assertGreater(admitted, 100)


class Guard(unittest.TestCase):
    vector = good_vector()

    def status(self, environ: Environ) -> int:
        def app(_environ: Environ, _start_response: StartResponse) -> Iterable[bytes]:
            raise AssertionError("the application was called")

        return call(WsgiGuard(app, vectors.gate()), environ)[0]

    def test_a_path_that_was_rewritten_after_the_server_read_it_is_refused(self) -> None:
        self.assertEqual(self.status(environ_of(self.vector, PATH_INFO="/v1/shards")), 400)
        self.assertEqual(self.status(environ_of(self.vector, SCRIPT_NAME="/x")), 400)

    def test_a_write_route_that_the_server_has_decoded_needs_a_write_token(self) -> None:
        post = next(each for each in vectors.requests() if each.name == "POST /%73hard with a read token")
        self.assertEqual(self.status(without_raw_target(post)), 403)
        self.assertEqual(self.status(environ_of(post)), 400)

    def test_a_length_that_the_server_tells_twice_is_one_length_unless_they_differ(self) -> None:
        post = next(each for each in vectors.matrix() if each.method == "POST" and each.code is None)
        guard = WsgiGuard(lambda _environ, start: (start("200 OK", []), [])[1], vectors.gate())
        for other, status in (("3", 200), ("4", 400), ("03", 400)):
            with self.subTest(other):
                environ = environ_of(post, CONTENT_LENGTH="3", HTTP_CONTENT_LENGTH=other)
                self.assertEqual(call(guard, environ)[0], status)

    def test_the_server_is_not_asked_to_send_a_file_by_itself(self) -> None:
        seen: list[bool] = []

        def app(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
            seen.append("wsgi.file_wrapper" in environ)
            start_response("200 OK", [])
            return []

        change = {"wsgi.file_wrapper": object()}
        call(WsgiGuard(app, vectors.gate()), {**environ_of(self.vector), **change})
        self.assertEqual(seen, [False])

    def test_the_answer_of_the_application_is_closed(self) -> None:
        closed: list[bool] = []

        class Body:
            def __iter__(self) -> Iterator[bytes]:
                return iter([b"x"])

            def close(self) -> None:
                closed.append(True)

        guard = WsgiGuard(lambda _environ, start: (start("200 OK", []), Body())[1], vectors.gate())
        body = guard(environ_of(self.vector), lambda *_words: None)
        self.assertEqual(list(body), [b"x"])
        getattr(body, "close")()
        self.assertEqual(closed, [True])


class TakenBack(unittest.TestCase):
    vector = good_vector()

    def test_an_upload_gets_no_further_part(self) -> None:
        reads: list[Any] = [
            lambda body: body.read(1),
            lambda body: body.readline(),
            lambda body: body.readlines(),
            lambda body: next(iter(body)),
        ]
        for read in reads:
            gate = checked_again()

            def app(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
                start_response("200 OK", [])
                self.assertEqual(environ["wsgi.input"].read(1), b"o")
                gate.refusal = token_invalid("revoked")
                read(environ["wsgi.input"])
                return []

            environ = environ_of(self.vector)
            environ["wsgi.input"] = BytesIO(b"one\ntwo\n")
            with self.assertRaises(TokenRevoked):
                call(WsgiGuard(app, gate), environ)

    def test_a_download_ends_with_an_error(self) -> None:
        gate = checked_again()

        def app(_environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
            start_response("200 OK", [])
            yield b"one"
            gate.refusal = token_invalid("revoked")
            yield b"two"

        body = iter(WsgiGuard(app, gate)(environ_of(self.vector), lambda *_words: None))
        self.assertEqual(next(body), b"one")
        with self.assertRaises(TokenRevoked):
            next(body)

    def test_an_application_that_writes_by_itself_writes_no_further_part(self) -> None:
        gate = checked_again()
        written: list[bytes] = []
        started: list[tuple[object, ...]] = []

        def app(_environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
            write = start_response("200 OK", [], None)
            write(b"one")
            gate.refusal = token_invalid("revoked")
            write(b"two")
            return []

        def start_response(*words: object) -> Any:
            started.append(words)
            return written.append

        with self.assertRaises(TokenRevoked):
            WsgiGuard(app, gate)(environ_of(self.vector), start_response)
        self.assertEqual((written, started), ([b"one"], [("200 OK", [], None)]))


if __name__ == "__main__":
    unittest.main()

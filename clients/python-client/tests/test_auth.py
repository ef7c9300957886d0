"""Tokens on requests of `requests` and `httpx`: to the storage alone, and again where that helps."""

from __future__ import annotations

import asyncio
import io
import pickle
import unittest
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import requests

from latchkey_client import Client, LatchkeyError
from latchkey_client.httpx import HttpxAuth
from latchkey_client.requests import RequestsAuth
from servers import PLACE, World, client_of

Call = Callable[..., Any]


def by_requests(client: Client, method: str, url: str, content: Any = None, **options: Any) -> Any:
    session = requests.Session()
    session.trust_env = False
    with session:
        return session.request(method, url, data=content, auth=RequestsAuth(client, **options), timeout=20)


def by_httpx(client: Client, method: str, url: str, content: Any = None, **options: Any) -> Any:
    auth = HttpxAuth(client, **options)
    with httpx.Client(auth=auth, follow_redirects=True, trust_env=False, verify=False) as http:
        return http.request(method, url, content=content)


def by_async_httpx(client: Client, method: str, url: str, content: Any = None, **options: Any) -> Any:
    async def call() -> Any:
        auth = HttpxAuth(client, **options)
        async with httpx.AsyncClient(
            auth=auth, follow_redirects=True, trust_env=False, verify=False
        ) as http:
            return await http.request(method, url, content=content)

    return asyncio.run(call())


class Auth(unittest.TestCase):
    def setUp(self) -> None:
        self.world = World(self)
        self.url = f"{self.world.cas_url}/v1/files/abc"

    def client(self, **options: Any) -> Client:
        return client_of(self, self.world, **options)

    def each(self) -> Iterator[Call]:
        """Each library, in a fresh world."""
        for call in (by_requests, by_httpx, by_async_httpx):
            with self.subTest(call.__name__):
                self.setUp()
                yield call

    def tokens(self) -> list[str | None]:
        return self.world.storage.tokens()

    def test_a_request_to_the_storage_carries_the_least_token_that_will_do(self) -> None:
        cases = [
            ("GET", "/v1/files/abc", "read"),
            ("POST", "/v1/telemetry", "read"),
            ("POST", "/v1/shards", "write"),
            ("PUT", "/v1/files", "write"),
        ]
        for call in self.each():
            client = self.client()
            for method, path, scope in cases:
                response = call(client, method, self.world.cas_url + path)
                self.assertEqual(response.status_code, 200)
                self.assertTrue(str(self.tokens()[-1]).startswith(f"{scope}."), (method, path))
            call(client, "GET", self.url, scope="write")
            self.assertTrue(str(self.tokens()[-1]).startswith("write."))
            self.assertEqual(len(self.world.issued), 2)

    def test_the_place_of_the_storage_does_not_count_for_the_scope(self) -> None:
        for call in self.each():
            self.world.cas_url = f"{self.world.storage.url}/r/shards/main"
            call(self.client(), "POST", f"{self.world.cas_url}/v1/telemetry")
            self.assertEqual(self.tokens(), ["read.1.secret-token"])

    def test_a_request_to_another_origin_or_place_carries_no_token(self) -> None:
        for call in self.each():
            client, port = self.client(), self.world.storage.url.rpartition(":")[2]
            self.assertEqual(call(client, "GET", f"{self.world.other.url}{PLACE}/v1/files/abc").text, "other")
            for url in (
                f"http://localhost:{port}{PLACE}/v1/files/abc",
                f"{self.world.storage.url}/r/bert/mainly/v1/files/abc",
                f"{self.world.storage.url}/r/other/main/v1/files/abc",
                self.world.storage.url,
            ):
                self.assertEqual(call(client, "GET", url).status_code, 401, url)
            self.assertEqual({*self.tokens(), *self.world.other.tokens()}, {None})

    def test_a_path_that_leads_out_of_the_storage_is_refused(self) -> None:
        for call in self.each():
            for path in ("/%2e%2e/other/v1/files/abc", "/v1//files", "/v1/a%2Fb"):
                with self.assertRaises(LatchkeyError) as raised:
                    call(self.client(), "GET", self.world.cas_url + path)
                self.assertEqual(raised.exception.code, "path_refused")
            self.assertEqual(self.world.storage.requests, [])

    def test_a_redirect_is_followed_without_the_token(self) -> None:
        places: list[Callable[[], str]] = [
            lambda: f"{self.world.other.url}/stolen",
            lambda: f"{self.world.cas_url}/v1/stolen",
            lambda: "/r/other/main/stolen",
        ]
        for status in (302, 307):
            for place in places:
                for call in self.each():
                    # A 401 before it, so that another request than the first is redirected.
                    client = self.client()
                    self.world.revoked.add(client.token("read").access_token.reveal())
                    self.world.replies = [(status, {"Location": place()}, b"")]
                    response = call(client, "GET", self.url)
                    got = [*self.world.storage.requests, *self.world.other.requests]
                    stolen = [each.headers for each in got if each.target.endswith("/stolen")]
                    self.assertEqual(len(stolen), 1)
                    self.assertNotIn("authorization", stolen[0])
                    self.assertEqual(len(self.world.issued), 2)
                    self.assertEqual(len(response.history), 2 if call is not by_requests else 1)

    def test_a_401_that_a_redirect_leads_to_is_not_repaired(self) -> None:
        for call in self.each():
            self.world.replies = [(302, {"Location": f"{self.world.cas_url}/v1/stolen"}, b"")]
            self.assertEqual(call(self.client(), "GET", self.url).status_code, 401)
            self.assertEqual(self.tokens(), ["read.1.secret-token", None])

    def test_a_401_is_repaired_once_with_a_new_token(self) -> None:
        for call in self.each():
            client = self.client()
            self.world.revoked.add(client.token("write").access_token.reveal())
            response = call(client, "PUT", f"{self.world.cas_url}/v1/files", b"content")
            self.assertEqual((response.status_code, response.text), (200, "stored"))
            self.assertEqual([each.body for each in self.world.storage.requests], [b"content"] * 2)
            self.assertEqual(self.tokens(), ["write.1.secret-token", "write.2.secret-token"])
            self.world.replies = [(401, {}, b"1"), (401, {}, b"2"), (401, {}, b"3")]
            self.assertEqual(call(client, "GET", self.url).text, "2")

    def test_429_and_5xx_are_retried_as_the_storage_asks(self) -> None:
        for call in self.each():
            runtime_of = self.client()
            self.world.replies = [(503, {}, b""), (429, {"Retry-After": "7"}, b""), (500, {}, b"")]
            self.assertEqual(call(runtime_of, "PUT", self.url, b"content").status_code, 200)
            self.assertEqual([each.body for each in self.world.storage.requests], [b"content"] * 4)
            slept: list[float] = getattr(runtime_of._runtime, "slept")
            self.assertEqual(len(slept), 3)
            self.assertTrue(7 <= slept[1] <= 7.4 and slept[0] < 0.2, slept)
            for reply, options in [
                ((501, {}, b""), {}),
                ((503, {"Retry-After": "61"}, b""), {}),
                ((503, {}, b""), {"retry_timeout_seconds": 0}),
            ]:
                self.world.replies = [reply]
                self.assertEqual(call(self.client(**options), "GET", self.url).status_code, reply[0])

    def test_a_stream_is_sent_once(self) -> None:
        def parts() -> Iterator[bytes]:
            yield b"one"

        async def async_parts() -> Any:
            yield b"one"

        for call in self.each():
            client = self.client()
            stream = async_parts if call is by_async_httpx else parts
            self.world.replies = [(503, {}, b"")]
            self.assertEqual(call(client, "PUT", self.url, stream()).status_code, 503)
            self.world.replies = [(401, {}, b"")]
            with self.assertRaises(LatchkeyError) as raised:
                call(client, "PUT", self.url, stream())
            self.assertEqual(raised.exception.code, "body_not_repeatable")
            self.assertEqual([each.body for each in self.world.storage.requests], [b"one"] * 2)

    def test_requests_sends_a_file_again_from_where_it_began(self) -> None:
        file = io.BytesIO(b"not this, but this")
        file.seek(10)
        self.world.replies = [(401, {}, b""), (503, {}, b"")]
        by_requests(self.client(), "PUT", self.url, file)
        self.assertEqual([each.body for each in self.world.storage.requests], [b"but this"] * 3)

    def test_a_prepared_request_is_repaired_each_time_it_is_sent(self) -> None:
        client = self.client()
        with requests.Session() as session:
            prepared = requests.Request("GET", self.url, auth=RequestsAuth(client)).prepare()
            self.world.revoked.add("read.1.secret-token")
            self.assertEqual([session.send(prepared).status_code for _ in range(2)], [200, 200])

    def test_an_endless_response_that_is_replaced_is_not_read(self) -> None:
        def endless(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(401)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            sent = 0
            while sent < 1 << 28:
                handler.wfile.write(b"10000\r\n" + b"a" * 65536 + b"\r\n")
                sent += 65536
            self.fail("all of it was read")

        for call in self.each():
            self.world.replies = [endless]
            self.assertEqual(call(self.client(), "GET", self.url).text, "stored")

    def test_no_request_or_response_shows_the_token(self) -> None:
        for call in self.each():
            response = call(self.client(), "GET", self.url)
            self.assertEqual(self.tokens(), ["read.1.secret-token"])
            for text in (
                f"{response.request.headers!r}",
                f"{response.request.headers}",
                f"{response!r}{response.request!r}",
                pickle.dumps(response).decode("latin-1"),
                pickle.dumps(response.request).decode("latin-1"),
            ):
                self.assertNotIn("secret-token", text)
            self.assertEqual(pickle.loads(pickle.dumps(response)).text, "stored")

    def test_a_failure_of_the_hub_is_that_of_the_request(self) -> None:
        for call in self.each():
            self.world.hub.answer = lambda _: (403, {}, b'{"code":"permission_denied"}')
            with self.assertRaises(LatchkeyError) as raised:
                call(self.client(), "GET", self.url)
            self.assertEqual(raised.exception.code, "permission_denied")
            self.assertEqual(self.world.storage.requests, [])

    def test_a_token_for_another_storage_is_not_sent_to_the_one_before(self) -> None:
        for call in self.each():
            client = self.client()
            self.world.revoked.add(client.token("read").access_token.reveal())
            self.world.cas_url = f"{self.world.other.url}/r/bert/main"
            self.assertEqual(call(client, "GET", self.url).status_code, 401)
            self.assertEqual(self.tokens(), ["read.1.secret-token"])


if __name__ == "__main__":
    unittest.main()

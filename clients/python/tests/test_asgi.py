"""The guard for ASGI: the vectors through it, and what only an ASGI server can bring."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any
from urllib.parse import unquote_to_bytes

import vectors
from answers import Got, assert_owed
from latchkey_verify import Gate, Grant, Options, Refusal, read_key_set
from latchkey_verify.asgi import ADMITTED, App, AsgiGuard, Message, Receive, Scope, Send, TokenRevoked
from latchkey_verify.token_refusals import token_invalid

Messages = list[Message]


def scope_of(vector: vectors.Vector, **change: Any) -> Scope:
    """As uvicorn makes it of a request."""
    raw_path, _, query = vector.target.encode().partition(b"?")
    return {
        "type": "http",
        "method": vector.method,
        "raw_path": raw_path,
        "path": unquote_to_bytes(raw_path).decode("utf-8", "replace"),
        "query_string": query,
        "headers": [(name.lower().encode(), value.encode()) for name, value in vector.headers],
        "client": ("192.0.2.1", 4711),
        **change,
    }


async def body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def call(guard: App, scope: Scope, receive: Receive = body) -> Messages:
    sent: Messages = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def run() -> None:
        await guard(scope, receive, send)

    asyncio.run(run())
    return sent


def got(sent: Messages, heard: tuple[dict[str, str], str] | None) -> Got:
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Got(sent[0]["status"], headers, b"".join(each["body"] for each in sent[1:]), heard)


async def answer(send: Send, *parts: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for part in parts:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def good_vector() -> vectors.Vector:
    return next(each for each in vectors.matrix() if each.code is None and each.method == "GET")


class Vectors(unittest.TestCase):
    heard: tuple[dict[str, str], str] | None = None

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        admitted = scope[ADMITTED]
        self.heard = (vectors.shown(admitted.grant), admitted.path + admitted.query)
        await answer(send)

    def check_all(self, each: list[vectors.Vector]) -> None:
        guard = AsgiGuard(self.app, vectors.gate())
        for vector in each:
            with self.subTest(vector.name):
                self.heard = None
                sent = call(guard, scope_of(vector))
                # A query that is empty is none to an ASGI server.
                if self.heard is not None and vector.target.endswith("?"):
                    self.heard = (self.heard[0], self.heard[1] + "?")
                assert_owed(self, vector, got(sent, self.heard))

    def test_every_single_request_is_answered_as_it_is_owed(self) -> None:
        self.check_all(vectors.requests())

    def test_a_part_of_all_combinations_is_answered_as_it_is_owed(self) -> None:
        self.check_all(vectors.matrix()[::7])


class CheckedAgain(Gate):
    """A gate that takes tokens back when the test says so."""

    refusal: Refusal | None = None

    def check_grant(self, grant: Grant) -> Refusal | None:
        return self.refusal


def checked_again() -> CheckedAgain:
    document = vectors.REQUESTS
    return CheckedAgain(
        Options(
            keys=read_key_set(document["jwks"]),
            issuer=document["issuer"],
            cas_url=document["casUrl"],
            clock=lambda: int(document["now"]),
        )
    )


class Guard(unittest.TestCase):
    vector = good_vector()
    calls = 0

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.calls += 1
        await answer(send, b"x")

    def refused(self, **change: Any) -> int:
        sent = call(AsgiGuard(self.app, vectors.gate()), scope_of(self.vector, **change))
        self.assertEqual(self.calls, 0)
        status: int = sent[0]["status"]
        return status

    def test_a_path_that_was_rewritten_after_the_server_read_it_is_refused(self) -> None:
        self.assertEqual(self.refused(path="/v1/shards"), 400)

    def test_a_server_that_does_not_tell_the_raw_path_is_refused(self) -> None:
        self.assertEqual(self.refused(raw_path=None), 400)

    def test_an_absolute_target_reaches_the_application_as_a_path(self) -> None:
        seen: list[Scope] = []

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            seen.append(scope)
            await answer(send)

        raw = b"https://cas.example" + self.vector.target.encode()
        change = {"raw_path": raw, "path": raw.decode()}
        call(AsgiGuard(app, vectors.gate()), scope_of(self.vector, **change))
        self.assertEqual(seen[0]["path"], self.vector.target)
        self.assertEqual(seen[0]["raw_path"], self.vector.target.encode())

    def test_websockets_are_closed(self) -> None:
        sent = call(AsgiGuard(self.app, vectors.gate()), scope_of(self.vector, type="websocket"))
        self.assertEqual(sent, [{"type": "websocket.close", "code": 1008}])
        self.assertEqual(self.calls, 0)

    def test_what_it_does_not_know_is_not_passed_on(self) -> None:
        with self.assertRaises(RuntimeError):
            call(AsgiGuard(self.app, vectors.gate()), {"type": "new"})
        self.assertEqual(self.calls, 0)

    def test_the_lifespan_is_passed_on(self) -> None:
        call(AsgiGuard(self.app, vectors.gate()), {"type": "lifespan"})
        self.assertEqual(self.calls, 1)

    def test_a_rule_that_fails_is_an_answer_without_its_reason(self) -> None:
        def locate(_request: object) -> None:
            raise LookupError("the secret of the rule")

        document = vectors.REQUESTS
        gate = Gate(
            Options(
                keys=read_key_set(document["jwks"]),
                issuer=document["issuer"],
                audience=document["audience"],
                locate=locate,
            )
        )
        with self.assertLogs("latchkey_verify", "ERROR"):
            sent = call(AsgiGuard(self.app, gate), scope_of(self.vector))
        self.assertEqual(sent[0]["status"], 500)
        self.assertNotIn(b"secret", sent[1]["body"])
        self.assertEqual(self.calls, 0)

    def test_no_server_is_asked_to_send_a_file_by_itself(self) -> None:
        seen: list[Any] = []

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            seen.append(scope["extensions"])
            await answer(send)

        extensions: dict[str, Any] = {"http.response.pathsend": {}, "tls": {}}
        call(AsgiGuard(app, vectors.gate()), scope_of(self.vector, extensions=extensions))
        self.assertEqual(seen, [{"tls": {}}])


class TakenBack(unittest.TestCase):
    vector = good_vector()

    def test_before_the_answer_began_it_is_401(self) -> None:
        gate = checked_again()

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            gate.refusal = token_invalid("revoked")
            await answer(send, b"secret")

        sent = call(AsgiGuard(app, gate), scope_of(self.vector))
        self.assertEqual(sent[0]["status"], 401)
        self.assertNotIn(b"secret", sent[1]["body"])

    def test_an_upload_gets_no_further_part_and_401(self) -> None:
        gate = checked_again()
        parts: list[bytes] = []

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            parts.append((await receive())["body"])
            gate.refusal = token_invalid("revoked")
            parts.append((await receive())["body"])
            await answer(send)

        async def receive() -> Message:
            return {"type": "http.request", "body": b"part", "more_body": True}

        sent = call(AsgiGuard(app, gate), scope_of(self.vector), receive)
        self.assertEqual((parts, sent[0]["status"]), ([b"part"], 401))

    def test_a_download_ends_with_an_error_whatever_the_application_does_about_it(self) -> None:
        for is_swallowed in (False, True):
            with self.subTest(is_swallowed=is_swallowed):
                gate = checked_again()
                sent: Messages = []

                async def app(scope: Scope, receive: Receive, send: Send) -> None:
                    await send({"type": "http.response.start", "status": 200, "headers": []})
                    await send({"type": "http.response.body", "body": b"one", "more_body": True})
                    gate.refusal = token_invalid("revoked")
                    try:
                        await send({"type": "http.response.body", "body": b"two"})
                    except TokenRevoked:
                        if not is_swallowed:
                            raise

                async def send(message: Message) -> None:
                    sent.append(message)

                with self.assertRaises(TokenRevoked):
                    asyncio.run(AsgiGuard(app, gate)(scope_of(self.vector), body, send))
                self.assertEqual([each.get("body") for each in sent], [None, b"one"])

    def test_a_request_that_is_over_is_left_alone(self) -> None:
        gate = checked_again()
        after: list[str] = []

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await answer(send)
            gate.refusal = token_invalid("revoked")
            after.append((await receive())["type"])

        self.assertEqual(call(AsgiGuard(app, gate), scope_of(self.vector))[0]["status"], 200)
        self.assertEqual(after, ["http.request"])


if __name__ == "__main__":
    unittest.main()

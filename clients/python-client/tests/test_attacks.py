"""Thousands of callers, forks, ended loops and servers that mean harm, over real connections."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import pickle
import re
import tempfile
import threading
import traceback
import unittest
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import requests

from latchkey_client import Client, LatchkeyError, StorageToken
from latchkey_client.httpx import HttpxAuth
from latchkey_client.requests import RequestsAuth
from servers import Reply, Request, World, client_of

_PATIENCE = 60


class Hub:
    """Holds back its responses until a test lets them go."""

    def __init__(self, world: World) -> None:
        self._issue = world.hub.answer
        self.asked = threading.Event()
        self.opened = threading.Event()
        world.hub.answer = self._answer

    def _answer(self, request: Request) -> Reply:
        self.asked.set()
        self.opened.wait(_PATIENCE)
        return self._issue(request)


class Callers(unittest.TestCase):
    def setUp(self) -> None:
        self.world = World(self)
        self.hub = Hub(self.world)
        self.addCleanup(self.hub.opened.set)
        self.client = client_of(self, self.world)

    def threads(self, count: int, found: list[Any]) -> list[threading.Thread]:
        """So many that wait for a token, each with a small stack."""

        def call() -> None:
            try:
                found.append(self.client.token())
            except Exception as error:
                found.append(error)

        self.addCleanup(threading.stack_size, threading.stack_size(256 * 1024))
        threads = [threading.Thread(target=call, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        return threads

    def join(self, threads: list[threading.Thread]) -> None:
        for thread in threads:
            thread.join(_PATIENCE)
            self.assertFalse(thread.is_alive(), "it waits for ever")

    def test_threads_and_tasks_share_one_token_request(self) -> None:
        found: list[Any] = []

        async def call_all() -> list[StorageToken]:
            tasks = [asyncio.create_task(self.client.token_async()) for _ in range(460)]
            # Each runs until it waits.
            await asyncio.sleep(0)
            self.hub.opened.set()
            return await asyncio.gather(*tasks)

        threads = self.threads(40, found)
        tokens = asyncio.run(call_all())
        self.join(threads)
        self.assertEqual(len(found) + len(tokens), 500)
        self.assertEqual({id(each) for each in [*found, *tokens]}, {id(tokens[0])})
        self.assertEqual(len(self.world.hub.requests), 1)

    def test_a_cancelled_task_ends_no_other_that_waits_for_the_same_token(self) -> None:
        async def call() -> None:
            first = asyncio.create_task(self.client.token_async())
            others = [asyncio.create_task(self.client.token_async()) for _ in range(10)]
            await asyncio.to_thread(self.hub.asked.wait, _PATIENCE)
            first.cancel()
            others[3].cancel()
            await asyncio.wait([first, others[3]])
            self.assertTrue(first.cancelled() and others[3].cancelled())
            self.hub.opened.set()
            del others[3]
            for token in await asyncio.gather(*others):
                self.assertEqual(token.access_token.reveal(), "read.1.secret-token")

        asyncio.run(call())
        self.assertEqual(len(self.world.hub.requests), 1)

    def test_a_loop_that_ends_takes_no_token_from_others(self) -> None:
        found: list[Any] = []
        for is_closed_at_once in (True, False):
            loop = asyncio.new_event_loop()
            task = loop.create_task(self.client.token_async())
            loop.run_until_complete(asyncio.sleep(0))
            if not is_closed_at_once:
                task.cancel()
                loop.run_until_complete(asyncio.wait([task]))
            loop.close()
            # A loop that is closed this way leaves its tasks behind.
            setattr(task, "_log_destroy_pending", False)
        threads = self.threads(3, found)
        with self.assertNoLogs("concurrent.futures"), self.assertNoLogs("asyncio"):
            self.hub.opened.set()
            self.join(threads)
        self.assertEqual([each.access_token.reveal() for each in found], ["read.1.secret-token"] * 3)
        again = asyncio.run(self.client.token_async())
        self.assertEqual((again, len(self.world.hub.requests)), (found[0], 1))

    def test_a_client_that_is_closed_ends_the_wait_of_everybody(self) -> None:
        found: list[Any] = []
        threads = self.threads(3, found)
        self.assertTrue(self.hub.asked.wait(_PATIENCE))
        self.client.close()
        self.join(threads)
        self.assertEqual([getattr(each, "code", each) for each in found], ["closed"] * 3)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_a_child_process_waits_for_no_thread_of_its_parent(self) -> None:
        found: list[Any] = []
        threads = self.threads(3, found)
        self.assertTrue(self.hub.asked.wait(_PATIENCE))
        # The flight of the parent is under way; nobody brings its token to a child.
        self.hub.opened.set()
        self.assertIn("secret-token", in_child(lambda: self.client.token().access_token.reveal()))
        self.join(threads)
        asked = len(self.world.hub.requests)
        self.assertEqual(
            in_child(lambda: self.client.token().access_token.reveal()),
            self.client.token().access_token.reveal(),
        )
        self.assertEqual(len(self.world.hub.requests), asked)
        self.assertEqual(in_child(lambda: self.client.request("GET", "/v1/x").content.decode()), "stored")
        self.assertEqual(
            in_child(lambda: asyncio.run(self.client.request_async("GET", "/v1/x")).content.decode()),
            "stored",
        )


def in_child(call: Callable[[], str]) -> str:
    """What it gives in a fork of this process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = call()
        except BaseException as error:
            text = "".join(traceback.format_exception(error))
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


class Attacks(unittest.TestCase):
    def setUp(self) -> None:
        self.world = World(self)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def client(self, **options: Any) -> Client:
        return client_of(self, self.world, **options)

    def code_of(self, call: Callable[[], Any]) -> str:
        with self.assertRaises(LatchkeyError) as raised:
            call()
        return raised.exception.code

    def test_no_redirect_is_followed(self) -> None:
        for target in (f"{self.world.other.url}/stolen", f"{self.world.storage.url}/stolen"):
            self.world.replies = [(307, {"Location": target}, b"")]
            self.assertEqual(self.client().request("PUT", "/v1/x", content=b"x").status, 307)
            issue, self.world.hub.answer = self.world.hub.answer, lambda _: (302, {"Location": target}, b"")
            self.assertEqual(self.code_of(self.client(retry_timeout_seconds=0).token), "redirected")
            self.world.hub.answer = issue
        targets = [each.target for each in [*self.world.storage.requests, *self.world.other.requests]]
        self.assertEqual(targets, ["/r/bert/main/v1/x"] * 2)

    def test_no_response_is_read_beyond_its_limit(self) -> None:
        def endless(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b"{" * 65536)

        def many_headers(handler: BaseHTTPRequestHandler) -> None:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                handler.wfile.write(b"X-A: b\r\n" * 1000)

        def long_header(handler: BaseHTTPRequestHandler) -> None:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-A: ")
            while True:
                handler.wfile.write(b"a" * 65536)

        client = self.client(retry_timeout_seconds=0)
        self.world.replies = [endless, (200, {}, b"12345"), (200, {}, b"1234"), many_headers, long_header]
        self.assertEqual(self.code_of(lambda: client.request("GET", "/v1/x")), "too_large")
        self.assertEqual(self.code_of(lambda: client.request("GET", "/v1/x", max_bytes=4)), "too_large")
        self.assertEqual(client.request("GET", "/v1/x", max_bytes=4).content, b"1234")
        for _ in range(2):
            self.assertEqual(self.code_of(lambda: client.request("GET", "/v1/x")), "storage_unreachable")
        for reply, code in [
            (endless, "answer_invalid"),
            (many_headers, "hub_unreachable"),
            (long_header, "hub_unreachable"),
        ]:
            self.world.hub.answer = _always(reply)
            self.assertEqual(self.code_of(self.client(retry_timeout_seconds=0).token), code)

    def failures(self) -> Iterator[Callable[[], Any]]:
        """Calls that fail, each in another way."""
        client = self.client(retry_timeout_seconds=0)
        url = f"{self.world.cas_url}/v1/x"
        broken: Reply = lambda _: None
        own: list[Callable[[], Any]] = [
            lambda: client.request("GET", "/v1/x", max_bytes=1),
            lambda: client.download("0" * 64, os.path.join(self.folder.name, "copy.bin"), max_bytes=1),
            lambda: client.upload(__file__),
        ]
        others: list[Callable[[], Any]] = [
            lambda: requests.get(url, auth=RequestsAuth(client), timeout=20).raise_for_status(),
            lambda: httpx.get(url, auth=HttpxAuth(client), verify=False).raise_for_status(),
        ]
        for reply in (_echo, broken, (200, {}, b"too long")):
            for call in own:
                self.world.replies = [reply]
                yield call
        for reply in ((500, {}, b""), broken):
            for call in others:
                self.world.replies = [reply]
                yield call
        self.world.revoked.add(client.token().access_token.reveal())
        for reply in (_echo, broken, (200, {}, b"{}")):
            self.world.hub.answer = _always(reply)
            yield lambda: client.request("GET", "/v1/x")
            yield client.token

    def test_no_error_traceback_log_or_pickle_shows_a_token(self) -> None:
        log = _Log()
        root = logging.getLogger()
        level = root.level
        root.addHandler(log)
        root.setLevel(logging.DEBUG)
        self.addCleanup(root.removeHandler, log)
        self.addCleanup(root.setLevel, level)
        shown, count = [], 0
        for call in self.failures():
            try:
                call()
            except Exception as error:
                count += 1
                exception = traceback.TracebackException.from_exception(error, capture_locals=True)
                # The frames of this file know the tokens.
                exception.stack = traceback.StackSummary.from_list(
                    [each for each in exception.stack if "latchkey_client" in each.filename]
                )
                shown += [*exception.format(), repr(error), repr(vars(error))]
                with contextlib.suppress(TypeError):
                    shown.append(pickle.dumps(error).decode("latin-1"))
        self.assertEqual(count, 19)
        text = "\n".join([*shown, *log.lines])
        self.assertIn("[access-token]", text)
        self.assertIn("You sent", text)
        for found in re.finditer("lk_hub-secret|secret-token", text):
            self.fail(text[found.start() - 2000 : found.end()])

    def test_neither_a_client_nor_a_token_can_be_pickled(self) -> None:
        client = self.client()
        for value in (client, client.token(), client.token().access_token, HttpxAuth(client)):
            with self.assertRaises(TypeError):
                pickle.dumps(value)
            self.assertNotIn("secret", f"{value!r}{value}")


def _always(reply: Reply) -> Callable[[Request], Reply]:
    return lambda _: reply


def _echo(handler: BaseHTTPRequestHandler) -> None:
    """An error that repeats what it was sent, as those of some proxies do."""
    detail = f"You sent {handler.headers['Authorization']}."
    body = json.dumps({"code": "internal_error", "detail": detail}).encode()
    handler.send_response(500)
    handler.end_headers()
    handler.wfile.write(body)


class _Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


if __name__ == "__main__":
    unittest.main()

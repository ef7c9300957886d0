"""Uploads of files, over connections that break and storages that lie."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import io
import os
import tempfile
import tracemalloc
import unittest
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from file_storage import FileStorage, hash_of
from latchkey_client import Client, LatchkeyError, StoredFile
from servers import Reply, Request, World, client_of

CONTENT = bytes(range(256)) * 400

Upload = Callable[..., StoredFile]


class Stream(io.RawIOBase):
    """Cannot seek."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._content.readinto(buffer)


class AsyncFile:
    """As those of several libraries for asyncio."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def read(self, size: int) -> Awaitable[bytes]:
        async def read() -> bytes:
            await asyncio.sleep(0)
            return self._content.read(size)

        return read()


class FileCase(unittest.TestCase):
    """A world with a storage of files, and a folder."""

    def setUp(self) -> None:
        self.world = World(self)
        self.storage = FileStorage(self.world)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "weights.bin"
        self.file.write_bytes(CONTENT)

    def client(self, **options: Any) -> Client:
        return client_of(self, self.world, **options)

    def code_of(self, call: Callable[..., Any], *given: Any, **options: Any) -> str:
        with self.assertRaises(LatchkeyError) as raised:
            call(*given, **options)
        return raised.exception.code


class Uploads(FileCase):
    def each(self, **options: Any) -> Iterator[Upload]:
        """By threads and by asyncio, each in a fresh world."""
        for way in ("thread", "task"):
            with self.subTest(way):
                self.setUp()
                client = self.client(**options)

                def in_task(*given: Any, **named: Any) -> StoredFile:
                    return asyncio.run(client.upload_async(*given, **named))

                yield client.upload if way == "thread" else in_task

    def check(self, file: StoredFile, content: bytes = CONTENT) -> None:
        self.assertEqual(file, StoredFile(hash_of(content), hashlib.sha256(content).hexdigest(), len(content)))
        self.assertEqual(self.storage.files[file.hash], content)

    def test_a_file_is_sent_by_its_path_or_from_where_it_is_open(self) -> None:
        for upload in self.each():
            self.check(upload(self.file))
            self.check(upload(str(self.file)))
            with open(self.file, "rb") as opened:
                opened.seek(1000)
                self.check(upload(opened), CONTENT[1000:])
                self.assertFalse(opened.closed)
            self.check(upload(io.BytesIO(b"")), b"")
            self.assertEqual(set(self.world.storage.tokens()), {"write.1.secret-token"})

    def test_a_stream_is_sent_in_pieces(self) -> None:
        with mock.patch("latchkey_client.file_source.PIECE", 1000):
            for upload in self.each():
                for size, calls in [
                    (0, ["PUT"]),
                    (1000, ["PUT bytes 0-999/1000"]),
                    (2000, ["PUT bytes 0-999/*", "PUT bytes 1000-1999/2000"]),
                    (2001, ["PUT bytes 0-999/*", "PUT bytes 1000-1999/*", "PUT bytes 2000-2000/2001"]),
                ]:
                    self.world.storage.requests.clear()
                    self.check(upload(Stream(CONTENT[:size])), CONTENT[:size])
                    self.assertEqual(self.storage.calls(), calls)

    def test_a_file_of_asyncio_is_awaited(self) -> None:
        client = self.client()
        self.check(asyncio.run(client.upload_async(AsyncFile(CONTENT))))
        with self.assertRaisesRegex(TypeError, "upload_async"):
            client.upload(AsyncFile(CONTENT))

    def test_an_upload_goes_on_where_its_connection_broke(self) -> None:
        size = len(CONTENT)
        for upload in self.each():
            self.storage.breaks = [30_000, 0, 50_000]
            self.check(upload(self.file))
            self.assertEqual(
                self.storage.calls(),
                [
                    f"PUT bytes 0-{size - 1}/{size}",
                    "HEAD",
                    f"PUT bytes 30000-{size - 1}/{size}",
                    "HEAD",
                    f"PUT bytes 30000-{size - 1}/{size}",
                    "HEAD",
                    f"PUT bytes 80000-{size - 1}/{size}",
                ],
            )

    def test_a_stream_goes_on_where_its_connection_broke(self) -> None:
        with mock.patch("latchkey_client.file_source.PIECE", 30_000):
            for upload in self.each():
                self.storage.breaks = [10_000, 20_000]
                self.check(upload(Stream(CONTENT)))
                self.assertEqual(self.storage.calls()[2], "PUT bytes 10000-29999/*")

    def test_an_upload_whose_response_was_lost_asks_for_it(self) -> None:
        for upload in self.each():
            self.storage.breaks = [len(CONTENT)]
            self.check(upload(self.file))
            self.assertEqual(self.storage.calls()[1:], ["HEAD", f"PUT bytes */{len(CONTENT)}"])

    def test_an_upload_waits_as_the_storage_asks_and_then_goes_on(self) -> None:
        for upload in self.each():
            self.world.replies = [(503, {"Retry-After": "3"}, b""), None, (429, {}, b"")]
            self.check(upload(self.file))
            self.assertEqual([each[:4] for each in self.storage.calls()], ["PUT ", "HEAD", "PUT ", "HEAD", "PUT "])

    def test_an_upload_goes_to_the_offset_that_the_storage_names(self) -> None:
        for upload in self.each():
            self.storage.takes = 40_000
            self.check(upload(self.file))
            self.storage.takes = None
            self.storage.uploads["mine"] = bytearray(CONTENT[:1234])
            # As if the storage had forgotten it just now.
            self.world.replies = [(404, {}, b"")]
            self.check(upload(self.file, upload_id="mine"))
            self.assertEqual(self.storage.calls()[-1], f"PUT bytes 1234-{len(CONTENT) - 1}/{len(CONTENT)}")

    def test_an_upload_that_the_storage_has_lost_begins_again_under_another_id(self) -> None:
        for upload in self.each():
            self.storage.breaks = [30_000]
            self.world.replies = [(404, {}, b"")]
            self.check(upload(self.file))
            first, _, second = (each.target for each in self.world.storage.requests)
            self.assertNotEqual(first, second)

    def test_another_process_goes_on_with_an_upload_by_its_id(self) -> None:
        for upload in self.each():
            self.storage.uploads["mine"] = bytearray(CONTENT[:1234])
            self.check(upload(self.file, upload_id="mine"))
            # It is complete.
            self.check(upload(self.file, upload_id="mine"))
            self.check(upload(Stream(CONTENT), upload_id="mine"))
            self.assertEqual(
                self.storage.calls(),
                [
                    *("HEAD", f"PUT bytes 1234-{len(CONTENT) - 1}/{len(CONTENT)}"),
                    *("HEAD", f"PUT bytes */{len(CONTENT)}") * 2,
                ],
            )

    def test_an_upload_survives_a_revoked_token(self) -> None:
        for upload in self.each():
            self.storage.breaks = [30_000]
            self.world.replies = [None, (401, {}, b"")]
            self.check(upload(self.file))
            self.assertEqual(self.world.storage.tokens()[-1], "write.2.secret-token")

    def test_a_storage_that_is_away_for_too_long_ends_an_upload(self) -> None:
        for upload in self.each(retry_timeout_seconds=5):
            self.world.usual = lambda _: (503, {}, b"")
            self.assertEqual(self.code_of(upload, self.file), "internal_error")
            self.world.usual = lambda _: lambda _: None
            self.assertEqual(self.code_of(upload, self.file), "storage_unreachable")

    def test_progress_allows_failures_for_as_long_as_the_first_time(self) -> None:
        for upload in self.each(retry_timeout_seconds=1):
            self.storage.breaks = [1_000] * 40
            self.check(upload(self.file))

    def test_a_storage_that_makes_no_progress_ends_an_upload(self) -> None:
        stuck: list[Reply] = [
            (202, {"Upload-Offset": "0"}, b""),
            (409, {"Upload-Offset": "0"}, b'{"code":"upload_offset_mismatch"}'),
            (409, {}, b'{"code":"upload_offset_mismatch"}'),
        ]

        def answer(put: Reply, request: Request) -> Reply:
            return (200, {"Upload-Offset": "0"}, b"") if request.method == "HEAD" else put

        for reply in stuck:
            for upload in self.each(retry_timeout_seconds=5):
                self.world.usual = functools.partial(answer, reply)
                self.assertIn(self.code_of(upload, self.file), ("answer_invalid", "upload_offset_mismatch"))

    def test_a_storage_that_lies_ends_an_upload(self) -> None:
        lies: list[Reply] = [
            (202, {"Upload-Offset": "9" * 15}, b""),
            (202, {"Upload-Offset": "-1"}, b""),
            (202, {"Upload-Offset": "1" * 5000}, b""),
            (202, {}, b""),
            (200, {}, b"{}"),
            (200, {}, b'{"hash":"../../etc","sha256":"' + b"0" * 64 + b'","size":1}'),
            (200, {}, b'{"hash":"' + b"0" * 64 + b'","sha256":"' + b"0" * 64 + b'","size":1e400}'),
            (302, {"Location": f"{self.world.other.url}/stolen"}, b""),
        ]
        for reply in lies:
            for upload in self.each():
                self.world.replies = [reply]
                self.assertEqual(self.code_of(upload, self.file), "answer_invalid")
                self.assertEqual(self.world.other.requests, [])

    def test_other_bytes_than_those_that_were_sent_are_an_error(self) -> None:
        size = len(CONTENT)
        for upload in self.each():
            other = b'{"hash":"%b","sha256":"%b","size":%d}' % (b"0" * 64, b"0" * 64, size)
            self.world.replies = [(200, {}, other)]
            self.assertEqual(self.code_of(upload, self.file), "integrity_failed")
            self.storage.uploads["mine"] = bytearray(b"others")
            self.assertEqual(self.code_of(upload, self.file, upload_id="mine"), "integrity_failed")

    def test_a_file_that_changes_during_its_upload_is_an_error_and_its_bytes_are_given_back(self) -> None:
        for upload in self.each():

            def truncate(done: int, _: object) -> None:
                if done > 50_000:
                    os.truncate(self.file, 60_000)

            with mock.patch("latchkey_client.file_source._CHUNK", 1024):
                self.assertEqual(self.code_of(upload, self.file, on_progress=truncate), "source_changed")
            # The server may notice later that the connection of the PUT ended.
            self.assertIn("DELETE", self.storage.calls())

            def append(*_: object) -> None:
                with open(self.file, "ab") as file:
                    file.write(b"more")

            self.assertEqual(self.code_of(upload, self.file, on_progress=append), "source_changed")

    def test_a_stream_whose_sent_bytes_are_lost_is_an_error(self) -> None:
        with mock.patch("latchkey_client.file_source.PIECE", 1000):
            for upload in self.each():
                self.world.replies = [None, None, (409, {"Upload-Offset": "0"}, b"{}")]
                self.assertEqual(self.code_of(upload, Stream(CONTENT)), "body_not_repeatable")
                self.assertEqual(self.storage.calls()[-1], "DELETE")

    def test_progress_never_goes_back_and_ends_with_all_bytes(self) -> None:
        for upload in self.each():
            self.storage.breaks = [30_000]
            seen: list[tuple[int, int | None]] = []
            upload(self.file, on_progress=lambda done, total: seen.append((done, total)))
            self.assertEqual(seen, sorted(set(seen), key=lambda each: each[0]))
            self.assertEqual(seen[-1], (len(CONTENT), len(CONTENT)))

    def test_an_error_of_the_caller_is_raised_as_it_is(self) -> None:
        def fail(*_: object) -> None:
            raise KeyError("mine")

        for upload in self.each():
            with self.assertRaises(FileNotFoundError):
                upload(self.folder / "missing")
            self.assertEqual(self.world.hub.requests, [])
            with self.assertRaisesRegex(KeyError, "mine"):
                upload(self.file, on_progress=fail)
            for wrong in (io.StringIO("text"), io.TextIOWrapper(io.BytesIO()), 7, None):
                self.assertEqual(self.code_of(upload, wrong), "bad_option")
            for name in ("", "a/b", "é", "a" * 129, "a&b", 7):
                self.assertEqual(self.code_of(upload, self.file, upload_id=name), "bad_option")

    def test_a_refusal_of_the_storage_is_raised_with_its_code(self) -> None:
        for upload in self.each():
            self.world.replies = [(403, {"x-request-id": "r1"}, b'{"code":"quota_exceeded","detail":"It is full."}')]
            with self.assertRaises(LatchkeyError) as raised:
                upload(self.file)
            error = raised.exception
            found = (error.code, error.message, error.status, error.request_id, error.method, error.path)
            self.assertEqual(found, ("quota_exceeded", "It is full.", 403, "r1", "PUT", "/v1/files"))

    def test_a_large_file_is_never_all_in_memory(self) -> None:
        large = self.folder / "large.bin"
        with open(large, "wb") as file:
            file.truncate(16 * 1024 * 1024)

        def drain(handler: Any, headers: dict[str, str]) -> bytes:
            left = int(headers["content-length"])
            while left > 0:
                left -= len(handler.rfile.read(min(left, 1 << 16)))
            return b""

        self.world.storage.read_body = drain
        self.world.usual = lambda _: self.storage._stored(b"")
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        self.assertEqual(self.code_of(self.client().upload, large), "integrity_failed")
        self.assertLess(tracemalloc.get_traced_memory()[1], 3 * 1024 * 1024)


if __name__ == "__main__":
    unittest.main()

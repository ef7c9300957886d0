"""Downloads of files, over connections that break and from storages that lie."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import tracemalloc
import unittest
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from unittest import mock

from file_storage import hash_of
from latchkey_client import StoredFile
from servers import Reply
from test_upload import CONTENT, FileCase

Download = Callable[..., StoredFile]
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Downloads(FileCase):
    def setUp(self) -> None:
        super().setUp()
        self.hash = self.storage.add(CONTENT)
        self.target = self.folder / "copy.bin"

    def each(self, **options: Any) -> Iterator[Download]:
        """By threads and by asyncio, each in a fresh world."""
        for way in ("thread", "task"):
            with self.subTest(way):
                self.setUp()
                client = self.client(**options)

                def in_task(*given: Any, **named: Any) -> StoredFile:
                    return asyncio.run(client.download_async(*given, **named))

                yield client.download if way == "thread" else in_task

    def check_nothing_is_left(self) -> None:
        self.assertEqual(os.listdir(self.folder), ["weights.bin"])

    def test_a_file_is_written_where_the_caller_says(self) -> None:
        for download in self.each():
            file = download(self.hash, self.target, sha256=SHA256)
            self.assertEqual(file, StoredFile(self.hash, SHA256, len(CONTENT)))
            self.assertEqual(self.target.read_bytes(), CONTENT)
            empty = self.storage.add(b"")
            # A file that is there is replaced, also by an empty one.
            download(empty, str(self.target))
            self.assertEqual(self.target.read_bytes(), b"")
            self.assertEqual(sorted(os.listdir(self.folder)), ["copy.bin", "weights.bin"])
            self.assertEqual(self.world.storage.tokens(), ["read.1.secret-token"] * 2)

    def test_a_relative_path_and_a_bare_name_are_below_the_working_directory(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        for download in self.each():
            os.chdir(self.folder)
            os.mkdir("sub")
            for path in ("copy.bin", "sub/copy.bin", Path("sub") / "other"):
                download(self.hash, path)
                self.assertEqual(Path(path).read_bytes(), CONTENT)

    def test_a_new_file_has_the_permissions_of_any_other(self) -> None:
        self.client().download(self.hash, self.target)
        other = self.folder / "other"
        other.touch()
        self.assertEqual(self.target.stat().st_mode, other.stat().st_mode)

    def test_a_link_is_replaced_and_not_followed(self) -> None:
        for download in self.each():
            precious = self.folder / "precious"
            precious.write_bytes(b"precious")
            self.target.symlink_to(precious)
            download(self.hash, self.target)
            self.assertEqual((self.target.read_bytes(), self.target.is_symlink()), (CONTENT, False))
            self.assertEqual(precious.read_bytes(), b"precious")

    def test_a_download_goes_on_where_its_connection_broke(self) -> None:
        for download in self.each():
            self.storage.download_breaks = [30_000, 0, 50_000]
            download(self.hash, self.target)
            self.assertEqual(self.target.read_bytes(), CONTENT)
            ranges = ["GET bytes=30000-"] * 2 + ["GET bytes=80000-"]
            self.assertEqual(self.storage.calls(), ["GET", *ranges])
            self.assertEqual(self.world.storage.requests[-1].headers["if-range"], f'"{self.hash}"')

    def test_a_download_survives_a_revoked_token_and_a_storage_that_is_away(self) -> None:
        for download in self.each():
            self.storage.download_breaks = [30_000]
            self.world.replies = [None, (401, {}, b""), (503, {"Retry-After": "2"}, b"")]
            download(self.hash, self.target)
            self.assertEqual(self.target.read_bytes(), CONTENT)
            self.assertEqual(self.world.storage.tokens()[-1], "read.2.secret-token")

    def test_a_storage_that_sends_all_of_it_again_is_believed(self) -> None:
        for download in self.each():
            self.storage.download_breaks = [30_000]
            self.world.replies = [None, (200, {}, CONTENT)]
            download(self.hash, self.target, sha256=SHA256)
            self.assertEqual(self.target.read_bytes(), CONTENT)

    def test_progress_allows_failures_for_as_long_as_the_first_time(self) -> None:
        for download in self.each(retry_timeout_seconds=1):
            self.storage.download_breaks = [1_000] * 40
            download(self.hash, self.target, sha256=SHA256)
            self.storage.download_breaks = [1_000] + [0] * 40
            self.assertEqual(self.code_of(download, self.hash, self.target), "storage_unreachable")

    def test_a_content_range_that_lies_ends_a_download(self) -> None:
        size = len(CONTENT)
        for text in (
            f"bytes 29999-{size - 1}/{size}",
            f"bytes 30001-{size - 1}/{size}",
            f"bytes 30000-{size - 1}/{size + 1}",
            f"bytes 30000-{size}/{size + 1}",
            f"bytes 30000-{size - 2}/{size}",
            f"bytes 30000-{size - 1}/*",
            f"bytes 0-{size - 1}/{size}",
            f"bytes 30000-{'9' * 400}/{size}",
            "bytes */0",
            "",
        ):
            for download in self.each():
                self.storage.download_breaks = [30_000]
                self.world.replies = [None, (206, {"Content-Range": text}, CONTENT[30_000:])]
                self.assertEqual(self.code_of(download, self.hash, self.target), "answer_invalid", text)
                self.check_nothing_is_left()

    def test_a_file_that_grows_ends_a_download(self) -> None:
        size = len(CONTENT)
        grown: list[Reply] = [
            (206, {"Content-Range": f"bytes 30000-{size + 4}/{size + 5}"}, CONTENT[30_000:] + b"extra"),
            (200, {}, CONTENT + b"extra"),
        ]
        for reply in grown:
            for download in self.each():
                self.storage.download_breaks = [30_000]
                self.world.replies = [None, reply]
                self.assertEqual(self.code_of(download, self.hash, self.target), "answer_invalid")
                self.check_nothing_is_left()

    def test_a_response_that_is_not_this_file_ends_a_download(self) -> None:
        size = len(CONTENT)
        wrong: list[Reply] = [
            (206, {"Content-Range": f"bytes 0-{size - 1}/{size}"}, CONTENT),
            (200, {"ETag": f'"{"0" * 64}"'}, CONTENT),
            (200, {"Content-Encoding": "gzip"}, CONTENT),
            (200, {"Content-Length": "9" * 400}, b""),
            (204, {}, b""),
            (302, {"Location": f"{self.world.other.url}/stolen"}, b""),
        ]
        for reply in wrong:
            for download in self.each():
                self.world.replies = [reply]
                self.assertEqual(self.code_of(download, self.hash, self.target), "answer_invalid")
                self.check_nothing_is_left()
                self.assertEqual(self.world.other.requests, [])

    def test_a_response_without_an_end_is_not_kept(self) -> None:
        def endless(status: int) -> Reply:
            def write(handler: BaseHTTPRequestHandler) -> None:
                handler.send_response(status)
                handler.send_header("Transfer-Encoding", "chunked")
                handler.end_headers()
                while True:
                    handler.wfile.write(b"10000\r\n" + b"a" * 65536 + b"\r\n")

            return write

        for download in self.each():
            self.world.replies = [endless(200), endless(403)]
            self.assertEqual(self.code_of(download, self.hash, self.target), "answer_invalid")
            self.assertEqual(self.code_of(download, self.hash, self.target), "insufficient_scope")
            self.check_nothing_is_left()

    def test_other_bytes_than_expected_are_an_error_and_not_written(self) -> None:
        for download in self.each():
            self.target.write_bytes(b"as before")
            code = self.code_of(download, self.hash, self.target, sha256="0" * 64)
            self.assertEqual((code, self.target.read_bytes()), ("integrity_failed", b"as before"))
            self.storage.headers = {"Repr-Digest": f"sha-256=:{'A' * 43}=:"}
            self.assertEqual(self.code_of(download, self.hash, self.target), "integrity_failed")
            self.assertEqual(sorted(os.listdir(self.folder)), ["copy.bin", "weights.bin"])

    def test_a_file_that_is_longer_than_allowed_is_not_read(self) -> None:
        for download in self.each():
            code = self.code_of(download, self.hash, self.target, max_bytes=len(CONTENT) - 1)
            self.assertEqual(code, "too_large")
            self.check_nothing_is_left()
            download(self.hash, self.target, max_bytes=len(CONTENT))

    def test_options_that_make_no_sense_are_refused_before_a_request(self) -> None:
        for download in self.each():
            for name in ("../../etc/passwd", "", "A" * 64, "0" * 63, f"{'0' * 64}\n", 7):
                self.assertEqual(self.code_of(download, name, self.target), "bad_option")
            for path in ("", ".", "a/", "a/..", f"{self.folder}/a\0b", self.folder, b"bytes", 7, "/dev/null"):
                self.assertEqual(self.code_of(download, self.hash, path), "bad_option", path)
            for options in ({"sha256": "0"}, {"max_bytes": -1}, {"max_bytes": True}):
                self.assertEqual(self.code_of(download, self.hash, self.target, **options), "bad_option")
            with self.assertRaises(FileNotFoundError):
                download(self.hash, self.folder / "missing" / "copy.bin")
            self.assertEqual(self.world.hub.requests, [])
            self.check_nothing_is_left()

    def test_the_storage_names_no_file(self) -> None:
        self.storage.headers = {"Content-Disposition": 'attachment; filename="../evil"', "Content-Location": "/evil"}
        self.client().download(self.hash, self.target)
        self.assertEqual(sorted(os.listdir(self.folder)), ["copy.bin", "weights.bin"])

    def test_an_error_of_the_machine_is_raised_as_it_is_and_not_retried(self) -> None:
        for download in self.each():
            with mock.patch("latchkey_client.download.os.write", side_effect=OSError(errno.ENOSPC, "full")):
                with self.assertRaises(OSError) as raised:
                    download(self.hash, self.target)
            self.assertEqual(raised.exception.errno, errno.ENOSPC)
            with self.assertRaises(ZeroDivisionError):
                download(self.hash, self.target, on_progress=lambda done, _: done // 0)
            self.assertEqual(self.storage.calls(), ["GET", "GET"])
            self.check_nothing_is_left()

    def test_a_refusal_of_the_storage_is_raised_with_its_code(self) -> None:
        for download in self.each():
            self.assertEqual(self.code_of(download, "0" * 64, self.target), "resource_not_found")
            self.check_nothing_is_left()

    def test_progress_never_goes_back_and_ends_with_all_bytes(self) -> None:
        for download in self.each():
            self.storage.download_breaks = [30_000]
            self.world.replies = [None, (200, {}, CONTENT)]
            seen: list[tuple[int, int | None]] = []
            download(self.hash, self.target, on_progress=lambda done, total: seen.append((done, total)))
            self.assertEqual(seen, sorted(set(seen), key=lambda each: each[0]))
            self.assertEqual(seen[-1], (len(CONTENT), len(CONTENT)))

    def test_a_cancelled_download_leaves_nothing_and_ends_no_other(self) -> None:
        async def cancel_one() -> None:
            client = self.client()
            begun = asyncio.Event()
            loop = asyncio.get_running_loop()

            def on_progress(*_: object) -> None:
                loop.call_soon_threadsafe(begun.set)

            def halt(handler: BaseHTTPRequestHandler) -> None:
                handler.send_response(200)
                handler.send_header("Content-Length", str(len(CONTENT)))
                handler.end_headers()
                handler.wfile.write(CONTENT[:1000])
                handler.rfile.read(1)

            self.world.replies = [halt]
            call = client.download_async(self.hash, self.target, on_progress=on_progress)
            task = asyncio.create_task(call)
            await begun.wait()
            other = asyncio.create_task(client.download_async(self.hash, self.folder / "other"))
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await other

        asyncio.run(cancel_one())
        self.assertEqual(sorted(os.listdir(self.folder)), ["other", "weights.bin"])

    def test_a_large_file_is_never_all_in_memory(self) -> None:
        size = 16 * 1024 * 1024

        def write(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", str(size))
            handler.end_headers()
            part = bytes(1 << 16)
            for _ in range(size >> 16):
                handler.wfile.write(part)

        self.world.replies = [write]
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        self.assertEqual(self.client().download(hash_of(CONTENT), self.target).size, size)
        self.assertLess(tracemalloc.get_traced_memory()[1], 3 * 1024 * 1024)


if __name__ == "__main__":
    unittest.main()

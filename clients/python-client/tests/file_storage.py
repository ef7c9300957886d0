"""A storage of files that follows the API, and breaks connections where a test wants it to."""

from __future__ import annotations

import hashlib
import json
import re
from http.server import BaseHTTPRequestHandler

from servers import Reply, Request, World, read_body


def hash_of(content: bytes) -> str:
    """Not the hash of Xet: clients take it as it is."""
    return hashlib.sha256(b"file" + content).hexdigest()


class FileStorage:
    """Behind the storage of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.uploads: dict[str, bytearray] = {}
        self.files: dict[str, bytes] = {}
        self._of_upload: dict[str, bytes] = {}
        #: After so many bytes of an upload each, its connection breaks.
        self.breaks: list[int] = []
        #: After so many bytes of a download each, its connection breaks.
        self.download_breaks: list[int] = []
        #: Takes no more than this of a request.
        self.takes: int | None = None
        self.headers: dict[str, str] = {}
        world.usual = self.answer
        world.storage.read_body = self._read

    def calls(self) -> list[str]:
        """Each request to it in short: method, and range."""
        return [
            " ".join([each.method, *(each.headers[name] for name in ("content-range", "range") if name in each.headers)])
            for each in self.world.storage.requests
        ]

    def add(self, content: bytes) -> str:
        name = hash_of(content)
        self.files[name] = content
        return name

    def answer(self, request: Request) -> Reply:
        path, _, query = request.target.removeprefix("/r/bert/main").partition("?upload=")
        if path == "/v1/files":
            return self._upload(request, query)
        content = self.files.get(path.removeprefix("/v1/files/"))
        if content is None:
            return 404, {}, b'{"code":"resource_not_found","detail":"There is no such file."}'
        return self._download(request, content)

    def _upload(self, request: Request, name: str) -> Reply:
        stored = self.uploads.get(name)
        done = self._of_upload.get(name)
        if request.method == "DELETE":
            return (204, {}, b"") if self.uploads.pop(name, None) is not None else (404, {}, b"")
        if request.method == "HEAD":
            if stored is None:
                return 404, {}, b""
            complete = "?1" if done is not None else "?0"
            return 200, {"Upload-Offset": str(len(stored)), "Upload-Complete": complete}, b""
        if done is not None:
            return self._stored(done)
        stored = self.uploads.setdefault(name, bytearray())
        text = request.headers.get("content-range")
        found = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", text or "")
        offset = {"Upload-Offset": str(len(stored))}
        if found is None and text is not None and text != f"bytes */{len(stored)}":
            return (202, offset, b"") if text.startswith("bytes */") else (400, {}, b"")
        if found is not None and int(found[1]) != len(stored):
            return 409, offset, b'{"code":"upload_offset_mismatch"}'
        stored += request.body[: self.takes]
        if found is not None and found[3] != str(len(stored)):
            return 202, {"Upload-Offset": str(len(stored))}, b""
        self._of_upload[name] = bytes(stored)
        self.add(bytes(stored))
        return self._stored(bytes(stored))

    def _stored(self, content: bytes) -> Reply:
        sha256 = hashlib.sha256(content).hexdigest()
        members = {"hash": hash_of(content), "sha256": sha256, "size": len(content)}
        return 200, {}, json.dumps(members).encode()

    def _download(self, request: Request, content: bytes) -> Reply:
        etag = f'"{hash_of(content)}"'
        found = re.fullmatch(r"bytes=(\d+)-", request.headers.get("range", ""))
        status, start = 200, 0
        headers = {"ETag": etag, **self.headers}
        if found is not None and request.headers.get("if-range") == etag:
            status, start = 206, int(found[1])
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        body = content[start:]
        if not self.download_breaks:
            return status, headers, body
        end = self.download_breaks.pop(0)

        def write(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(body[:end])

        return write

    def _read(self, handler: BaseHTTPRequestHandler, headers: dict[str, str]) -> bytes | None:
        """What arrived before a connection broke stays."""
        if handler.command != "PUT" or not self.breaks:
            return read_body(handler, headers)
        stored = self.uploads.setdefault(handler.path.partition("upload=")[2], bytearray())
        stored += handler.rfile.read(self.breaks.pop(0))
        return None

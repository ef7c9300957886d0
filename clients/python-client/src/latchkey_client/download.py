"""Downloads a file into a new one of this machine, and goes on where a connection broke."""

from __future__ import annotations

import binascii
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from .background import Lock
from .error import LatchkeyError, bad_option
from .file_transfer import (
    FILES,
    OnProgress,
    Setbacks,
    StoredFile,
    Text,
    failure,
    invalid,
    is_hash,
    read_number,
    receive_text,
    reported,
)
from .scope_rules import Scope
from .steps import Head, Steps
from .storage_request import Answer, StorageRequest, Way, send_once, storage_request
from .transport import LocalFailed

_RANGE: Final = re.compile("bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})")
_DIGEST: Final = re.compile("sha-256=:([A-Za-z0-9+/]{43}=):")
#: Windows has none of it, and reads files as text without the last one.
_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Wanted:
    """What is downloaded, and where to."""

    hash: str
    path: str
    sha256: str | None
    max_bytes: int | None


def checked_wanted(hash: object, path: Any, sha256: object, max_bytes: object) -> Wanted:
    """Fails with `bad_option`. The target is a path of the caller alone: the storage names none."""
    if not is_hash(hash):
        raise bad_option("hash", "give the 64 hexadecimal digits that upload returned")
    if sha256 is not None and not is_hash(sha256):
        raise bad_option("sha256", "give 64 hexadecimal digits in lower case")
    if max_bytes is not None and (type(max_bytes) is not int or max_bytes < 0):
        raise bad_option("max_bytes", "give a number of bytes")
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    # A slash at the end would be lost.
    if not isinstance(name, str) or "\0" in name or not os.path.basename(name):
        raise bad_option("path", "give the path of a file")
    target = os.path.abspath(name)
    if _is_odd(target):
        raise bad_option("path", "it is there, and is not a file")
    return Wanted(str(hash), target, None if sha256 is None else str(sha256), max_bytes)


def _is_odd(path: str) -> bool:
    """Anything but a regular file or a link, which is replaced itself."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def download(
    wanted: Wanted, way: Way, scope: Scope, on_progress: OnProgress | None
) -> Steps[StoredFile]:
    """The file is at its place when all of its bytes are there and compared, and never before."""
    sink = _Sink(wanted.path)
    try:
        file = yield from _Download(wanted, way, scope, sink, on_progress).run()
        sink.place()
    finally:
        sink.discard()
    return file


class _Sink:
    """A new file beside the target, with a name that nobody can know. Only one thread writes, another may end it."""

    def __init__(self, path: str) -> None:
        self._path = path
        folder, name = os.path.split(path)
        # Names have at most 255 bytes.
        self._part = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}.part")
        self._lock = Lock()
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS
        self._file: int | None = os.open(self._part, flags, 0o666)
        self._hash = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def restart(self) -> None:
        with self._lock:
            if self._file is not None:
                os.lseek(self._file, 0, os.SEEK_SET)
                os.ftruncate(self._file, 0)
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, chunk: bytes) -> None:
        rest = memoryview(chunk)
        while rest:
            with self._lock:
                if self._file is None:
                    raise OSError("the download has ended")
                rest = rest[os.write(self._file, rest) :]
        self._hash.update(chunk)
        self.size += len(chunk)

    def place(self) -> None:
        with self._lock:
            file, self._file = self._file, None
        if file is not None:
            try:
                # A file that is there after a crash must be whole.
                os.fsync(file)
            finally:
                os.close(file)
            os.replace(self._part, self._path)

    def discard(self) -> None:
        with self._lock:
            file, self._file = self._file, None
        if file is not None:
            os.close(file)
        try:
            os.unlink(self._part)
        except FileNotFoundError:
            pass


class _Download:
    def __init__(
        self,
        wanted: Wanted,
        way: Way,
        scope: Scope,
        sink: _Sink,
        on_progress: OnProgress | None,
    ) -> None:
        self._wanted = wanted
        self._way = way
        self._scope = scope
        self._sink = sink
        self._report = reported(on_progress)
        self._setbacks = Setbacks(way)
        self._total: int | None = None
        self._digest: str | None = None

    def run(self) -> Steps[StoredFile]:
        furthest = 0
        while True:
            request = self._request()
            outcome = yield from send_once(request, self._way)
            if isinstance(outcome, Answer) and outcome.result is None:
                break
            if self._sink.size > furthest:
                furthest = self._sink.size
                self._setbacks.progress()
            after = self._setbacks.seconds_after(outcome)
            error = failure(outcome, request, self._way)
            if after is None:
                raise error
            yield from self._setbacks.wait(error, after)
        return self._compared()

    def _compared(self) -> StoredFile:
        sha256 = self._sink.sha256
        for expected in (self._wanted.sha256, self._digest):
            if expected not in (None, sha256):
                message = f"The bytes have the SHA-256 {sha256}, expected was {expected}. Nothing was written."
                path = f"{FILES}/{self._wanted.hash}"
                raise LatchkeyError("integrity_failed", message, method="GET", path=path)
        return StoredFile(self._wanted.hash, sha256, self._sink.size)

    def _request(self) -> StorageRequest:
        headers = {}
        if self._sink.size > 0:
            headers = {"range": f"bytes={self._sink.size}-", "if-range": f'"{self._wanted.hash}"'}
        target = f"{FILES}/{self._wanted.hash}"

        def receive(head: Head, chunks: Iterator[bytes]) -> Text | None:
            return self._receive(request, head, chunks)

        request = storage_request("GET", target, receive, scope=self._scope, headers=headers)
        return request

    def _receive(self, request: StorageRequest, head: Head, chunks: Iterator[bytes]) -> Text | None:
        """Keeps the bytes of a file, and returns the text of any other response."""
        if head.status not in (200, 206):
            return receive_text(head, chunks)
        total = self._begin(request, head)
        for chunk in chunks:
            if self._sink.size + len(chunk) > total:
                raise invalid(request, head, "it has more bytes than it says")
            try:
                self._sink.write(chunk)
                self._report(self._sink.size, total)
            except Exception as error:
                raise LocalFailed from error
        if self._sink.size < total:
            raise ConnectionResetError
        return None

    def _begin(self, request: StorageRequest, head: Head) -> int:
        """Reads where the bytes belong. Their number is believed only as far as it is the same each time."""
        if head.headers.get("content-encoding", "identity") != "identity":
            raise invalid(request, head, "it is encoded")
        if head.headers.get("etag", f'"{self._wanted.hash}"') != f'"{self._wanted.hash}"':
            raise invalid(request, head, "it is another file")
        if head.status == 206:
            total = self._part_total(request, head)
        else:
            found = read_number(head.headers.get("content-length"))
            if found is None:
                raise invalid(request, head, "Content-Length is not a number of bytes")
            total = found
            if self._sink.size > 0:
                try:
                    self._sink.restart()
                except OSError as error:
                    raise LocalFailed from error
        if self._total not in (None, total):
            raise invalid(request, head, "the file has another length than before")
        most = self._wanted.max_bytes
        if most is not None and total > most:
            message = f"The file has {total} bytes, more than max_bytes={most}."
            raise request.failed("too_large", message, status=head.status)
        self._total = total
        digest = _DIGEST.fullmatch(head.headers.get("repr-digest", ""))
        if digest is not None:
            self._digest = binascii.a2b_base64(digest[1]).hex()
        return total

    def _part_total(self, request: StorageRequest, head: Head) -> int:
        found = _RANGE.fullmatch(head.headers.get("content-range", ""))
        start, last, total = (int(each) for each in found.groups()) if found else (-1, 0, 0)
        if start != self._sink.size or start == 0 or last != total - 1 or start > last:
            raise invalid(request, head, "Content-Range is not the rest of the file")
        return total

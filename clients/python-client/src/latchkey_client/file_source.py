"""The content of an upload: a file that can be read again, or a stream that is read in pieces."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, Protocol

from .error import LatchkeyError, bad_option
from .steps import Body, Read, Steps

_CHUNK: Final = 256 * 1024
#: Of a stream, two of them are in memory: one can be sent again, and the next says whether it is the last.
PIECE: Final = 8 * 1024 * 1024


class BinaryReader(Protocol):
    """A file that is open for reading bytes. Under asyncio, `read` may return an awaitable."""

    def read(self, size: int, /) -> bytes | Awaitable[bytes]:
        """Returns at most `size` bytes, and none at the end."""


#: The path of a file, or an open one: a seekable one is sent from its current position.
FileSource = str | os.PathLike[str] | BinaryReader


@dataclass(frozen=True)
class Window:
    """The part of the content that a request can send."""

    start: int
    end: int
    #: The length of the content, once it is known.
    total: int | None
    body: Body


class Content(Protocol):
    """What is uploaded, and what is known about it."""

    def window(self, offset: int) -> Steps[Window]:
        """What can be sent from there. Fails if those bytes are gone."""

    def finish(self) -> Steps[tuple[str, int]]:
        """SHA-256 and length of the content that was read. Fails if it has changed."""

    def close(self) -> None:
        """Frees what was opened for it."""


def content_of(source: object) -> Content:
    """Opens a path. A file that the caller has opened stays open."""
    if isinstance(source, (str, os.PathLike)):
        opened = open(source, "rb", buffering=0)
        try:
            return _content(opened, owns=True)
        except BaseException:
            opened.close()
            raise
    if not callable(getattr(source, "read", None)) or hasattr(source, "encoding"):
        raise bad_option("source", "give a path, or a file that is open in binary mode")
    return _content(source, owns=False)


def _content(file: Any, *, owns: bool) -> Content:
    try:
        is_seekable = file.seekable() is True
    except AttributeError:
        is_seekable = False
    if is_seekable and not inspect.iscoroutinefunction(file.read):
        return _Seekable(file, owns)
    return _Stream(file, owns)


class _Seekable:
    def __init__(self, file: BinaryIO, owns: bool) -> None:
        self._file = file
        self._owns = owns
        self._first = file.tell()
        self._size = file.seek(0, os.SEEK_END) - self._first
        self._before = self._state()
        self._hash = hashlib.sha256()
        self._hashed = 0

    def window(self, offset: int) -> Steps[Window]:
        yield from ()
        if offset > self._size:
            raise _longer()
        body = Body(self._size - offset, lambda: self._from(offset))
        return Window(offset, self._size, self._size, body)

    def finish(self) -> Steps[tuple[str, int]]:
        # A storage may have bytes that another process has sent.
        yield Read(self._hash_rest)
        if self._state() != self._before:
            raise _changed()
        return self._hash.hexdigest(), self._size

    def close(self) -> None:
        if self._owns:
            self._file.close()

    def _hash_rest(self) -> bytes:
        for _ in self._read(self._hashed, self._size):
            pass
        return b""

    def _from(self, offset: int) -> Iterator[bytes]:
        for _ in self._read(self._hashed, offset):
            pass
        yield from self._read(offset, self._size)

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        """Each byte is hashed when it is read for the first time."""
        self._file.seek(self._first + start)
        while start < end:
            chunk = self._file.read(min(_CHUNK, end - start))
            if not chunk:
                raise _changed()
            start += len(chunk)
            if start > self._hashed:
                self._hash.update(chunk[self._hashed - start :])
                self._hashed = start
            yield chunk

    def _state(self) -> tuple[int, int] | None:
        try:
            found = os.fstat(self._file.fileno())
        except (AttributeError, OSError):
            return None
        return found.st_size, found.st_mtime_ns


class _Stream:
    def __init__(self, file: Any, owns: bool) -> None:
        self._file = file
        self._owns = owns
        self._hash = hashlib.sha256()
        self._start = 0
        self._piece = b""
        self._next: bytes | None = None

    def window(self, offset: int) -> Steps[Window]:
        if self._next is None:
            self._piece = yield from self._read_piece()
            self._next = yield from self._read_piece()
        while offset >= self._end and self._next:
            self._start = self._end
            self._piece, self._next = self._next, b""
            self._next = yield from self._read_piece()
        if offset > self._end:
            raise _longer()
        if offset < self._start:
            message = "The storage has lost a part of the upload, and a stream cannot be read again: give a file."
            raise LatchkeyError("body_not_repeatable", message)
        part = self._piece[offset - self._start :]
        total = None if self._next else self._end
        return Window(offset, self._end, total, Body(len(part), lambda: _chunks_of(part)))

    def finish(self) -> Steps[tuple[str, int]]:
        yield from ()
        return self._hash.hexdigest(), self._end

    def close(self) -> None:
        if self._owns:
            self._file.close()

    @property
    def _end(self) -> int:
        return self._start + len(self._piece)

    def _read_piece(self) -> Steps[bytes]:
        found = bytearray()
        while len(found) < PIECE:
            chunk = yield Read(lambda: self._file.read(min(_CHUNK, PIECE - len(found))))
            if not isinstance(chunk, (bytes, bytearray, memoryview)):
                raise bad_option("source", "open the file in binary mode")
            if not chunk:
                break
            found += chunk
        self._hash.update(found)
        return bytes(found)


def _chunks_of(part: bytes) -> Iterator[bytes]:
    for at in range(0, len(part), _CHUNK):
        yield part[at : at + _CHUNK]


def _longer() -> LatchkeyError:
    message = "The storage has more bytes of this upload than there are: give another upload_id."
    return LatchkeyError("answer_invalid", message)


def _changed() -> LatchkeyError:
    message = "The file was changed during its upload. Upload it again."
    return LatchkeyError("source_changed", message)

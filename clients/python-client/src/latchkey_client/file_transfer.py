"""Common parts of uploads and downloads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from .error import LatchkeyError
from .patience import Patience
from .steps import Head, Sleep, Steps
from .storage_request import Answer, StorageRequest, Way, seconds_after
from .token_request import members_of, read_refusal

FILES: Final = "/v1/files"
#: Called with the bytes that are done and the bytes of the whole file, if they are known.
OnProgress = Callable[[int, "int | None"], None]

#: Of a response that is not a file. The rest is not read.
_MAX_TEXT: Final = 64 * 1024
_HASH: Final = re.compile("[0-9a-f]{64}")
#: No file is longer: numbers in JSON are exact up to here.
_MAX_DIGITS: Final = 15


@dataclass(frozen=True)
class StoredFile:
    """A file of the storage."""

    #: Names the file: 64 hexadecimal digits.
    hash: str
    #: The SHA-256 of its bytes, in hexadecimal.
    sha256: str
    #: In bytes.
    size: int


@dataclass(frozen=True)
class Text:
    """The text of a response. It is not printed, because it may repeat a token."""

    text: str = field(repr=False)


def is_hash(text: object) -> bool:
    """Whether it has the form of a hash, so that it can stand in a path."""
    return isinstance(text, str) and _HASH.fullmatch(text) is not None


def read_number(text: str | None) -> int | None:
    """A number of bytes in a header."""
    return int(text) if text and re.fullmatch(rf"[0-9]{{1,{_MAX_DIGITS}}}", text) else None


def receive_text(head: Head, chunks: Iterator[bytes]) -> Text:
    """The beginning of a response as text."""
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) > _MAX_TEXT:
            break
    return Text(found[:_MAX_TEXT].decode("utf-8", "replace"))


def stored_file_of(answer: Answer) -> StoredFile | None:
    """The file that the storage says it has."""
    members = members_of(answer.result.text)
    name, sha256, size = (members.get(key) for key in ("hash", "sha256", "size"))
    if not is_hash(name) or not is_hash(sha256) or not isinstance(size, int):
        return None
    return StoredFile(str(name), str(sha256), size)


def refusal_of(request: StorageRequest, answer: Answer, way: Way) -> LatchkeyError:
    """The error of a response that is none of those expected."""
    if answer.head.status < 400:
        return invalid(request, answer.head, "it is a redirect, or that of another route")
    secrets = [answer.token.access_token]
    text = answer.result.text if isinstance(answer.result, Text) else ""
    now = way.now().wall
    return read_refusal("storage", answer.head, text, request.method, request.path, now, [*secrets])


def invalid(request: StorageRequest, head: Head, wrong: str) -> LatchkeyError:
    """The storage does not follow its own API."""
    message = f"The response of the storage is wrong: {wrong}."
    return request.failed("answer_invalid", message, status=head.status)


class Setbacks:
    """Waits after failures that may pass, until there is no progress for too long."""

    def __init__(self, way: Way) -> None:
        """Nothing has failed yet."""
        self._way = way
        self._patience = Patience(way.retry_timeout_seconds, way.chance)

    def progress(self) -> None:
        """Forgets the failures so far."""
        self._patience.restart()

    def seconds_after(self, outcome: Answer | LatchkeyError) -> int | None:
        """How long to wait at least. None for an outcome that is final."""
        return seconds_after(outcome, self._way)

    def wait(self, error: LatchkeyError, after_seconds: float) -> Steps[None]:
        """Waits, or raises the error."""
        wait = self._patience.next_wait(self._way.now().steady, after_seconds)
        if wait is None:
            raise error
        yield Sleep(wait)


def reported(on_progress: OnProgress | None) -> Callable[[int, int | None], None]:
    """Calls `on_progress` with numbers that never get smaller."""
    most = -1

    def report(done: int, total: int | None) -> None:
        nonlocal most
        if on_progress is not None and done > most:
            most = done
            on_progress(done, total)

    return report


def failure(outcome: Any, request: StorageRequest, way: Way) -> LatchkeyError:
    """The error of an outcome, if that is not one already."""
    return outcome if isinstance(outcome, LatchkeyError) else refusal_of(request, outcome, way)

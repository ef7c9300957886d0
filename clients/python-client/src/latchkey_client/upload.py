"""Uploads a file, and goes on where a connection broke."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from typing import Final

from .error import LatchkeyError, bad_option
from .file_source import Content, Window
from .file_transfer import (
    FILES,
    OnProgress,
    Setbacks,
    StoredFile,
    failure,
    invalid,
    read_number,
    receive_text,
    refusal_of,
    reported,
    stored_file_of,
)
from .scope_rules import Scope
from .steps import Body, Steps
from .storage_request import Answer, StorageRequest, Way, send_once, storage_request

_ID: Final = re.compile("[A-Za-z0-9_-]{1,128}")


def checked_upload_id(upload_id: object) -> str | None:
    """Fails with `bad_option` for what the storage would not take."""
    if upload_id is None or (isinstance(upload_id, str) and _ID.fullmatch(upload_id)):
        return upload_id
    raise bad_option("upload_id", "give 1 to 128 letters, digits, underscores and hyphens")


def upload(
    content: Content,
    way: Way,
    scope: Scope,
    upload_id: str | None,
    on_progress: OnProgress | None,
) -> Steps[StoredFile]:
    """Sends all of the content and returns the file that the storage has made of it."""
    sending = _Upload(content, way, scope, upload_id, on_progress)
    try:
        file = yield from sending.run()
        sha256, size = yield from content.finish()
    except LatchkeyError as error:
        if upload_id is None and error.code in ("source_changed", "body_not_repeatable"):
            yield from sending.delete()
        raise
    if (file.sha256, file.size) != (sha256, size):
        message = (
            f"The storage has {file.size} bytes with the SHA-256 {file.sha256}, "
            f"and {size} bytes with {sha256} were sent. Upload the file again, with a new upload_id."
        )
        raise LatchkeyError("integrity_failed", message, method="PUT", path=FILES)
    return file


class _Upload:
    def __init__(
        self,
        content: Content,
        way: Way,
        scope: Scope,
        upload_id: str | None,
        on_progress: OnProgress | None,
    ) -> None:
        self._content = content
        self._way = way
        self._scope = scope
        self._is_given = upload_id is not None
        self._id = upload_id or secrets.token_urlsafe(24)
        self._report = reported(on_progress)
        self._setbacks = Setbacks(way)
        self._offset = 0
        #: The most that the storage ever had.
        self._furthest = 0

    def run(self) -> Steps[StoredFile]:
        # Another process may have begun an upload whose ID was given.
        is_unsure = self._is_given
        while True:
            if is_unsure:
                is_unsure = yield from self._ask()
                continue
            window = yield from self._content.window(self._offset)
            file = yield from self._put(window)
            if isinstance(file, StoredFile):
                return file
            is_unsure = file

    def delete(self) -> Steps[None]:
        """Gives the bytes back. Without it, they count for a day."""
        try:
            yield from send_once(self._request("DELETE", {}, None), self._way)
        except LatchkeyError:
            pass

    def _ask(self) -> Steps[bool]:
        """Finds out how much the storage has. Whether it must be asked again."""
        request = self._request("HEAD", {}, None)
        outcome = yield from self._sent(request)
        if not isinstance(outcome, Answer):
            return True
        if outcome.head.status == 404:
            self._offset = 0
            if not self._is_given:
                self._id = secrets.token_urlsafe(24)
            return False
        if outcome.head.status not in (200, 204):
            raise refusal_of(request, outcome, self._way)
        self._move(request, outcome)
        return False

    def _put(self, window: Window) -> Steps[StoredFile | bool]:
        """Sends a part. The file if that was the last one; otherwise whether the storage must be asked."""
        start, end, total = window.start, window.end, window.total
        headers = {}
        if start < end:
            headers["content-range"] = f"bytes {start}-{end - 1}/{'*' if total is None else total}"
        elif end > 0:
            # All bytes are there. This asks for the file.
            headers["content-range"] = f"bytes */{end}"
        body = Body(window.body.length, lambda: self._watched(window))
        request = self._request("PUT", headers, body)
        outcome = yield from self._sent(request)
        if not isinstance(outcome, Answer):
            return True
        if outcome.head.status == 200:
            file = stored_file_of(outcome)
            if file is None:
                raise invalid(request, outcome.head, "it does not describe a file")
            self._report(file.size, file.size)
            return file
        is_elsewhere = outcome.head.status == 409
        if outcome.head.status != 202 and not is_elsewhere:
            raise refusal_of(request, outcome, self._way)
        if is_elsewhere and "upload-offset" not in outcome.head.headers:
            # Another request of the upload is still under way.
            yield from self._setbacks.wait(refusal_of(request, outcome, self._way), 0)
            return True
        if not self._move(request, outcome):
            stuck = invalid(request, outcome.head, "it stores no more of the upload")
            yield from self._setbacks.wait(stuck, 0)
        return False

    def _watched(self, window: Window) -> Iterator[bytes]:
        done = window.start
        for chunk in window.body.open():
            yield chunk
            done += len(chunk)
            self._report(done, window.total)

    def _sent(self, request: StorageRequest) -> Steps[Answer | None]:
        """None after a failure that may pass, and a wait."""
        outcome = yield from send_once(request, self._way)
        after = self._setbacks.seconds_after(outcome)
        if after is None and isinstance(outcome, Answer):
            return outcome
        error = failure(outcome, request, self._way)
        if after is None:
            raise error
        yield from self._setbacks.wait(error, after)
        return None

    def _move(self, request: StorageRequest, answer: Answer) -> bool:
        """Goes on where the storage says. Whether that is progress."""
        offset = read_number(answer.head.headers.get("upload-offset"))
        if offset is None:
            raise invalid(request, answer.head, "Upload-Offset is not a number of bytes")
        self._offset = offset
        if offset <= self._furthest:
            return False
        self._furthest = offset
        self._setbacks.progress()
        return True

    def _request(self, method: str, headers: dict[str, str], body: Body | None) -> StorageRequest:
        target = f"{FILES}?upload={self._id}"
        return storage_request(
            method, target, receive_text, scope=self._scope, headers=headers, body=body
        )

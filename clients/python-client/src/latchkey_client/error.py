"""The one error of the client: a code, a sentence, and nothing that a log must not hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from .secret import Secret

_MAX_TEXT: Final = 500


class LatchkeyError(Exception):
    """Why a call failed. `code` is one of the hub, of the storage, or of the client.

    Codes of the client: `bad_option`, `path_refused`, `hub_unreachable`, `storage_unreachable`, `answer_invalid`,
    `redirected`, `body_not_repeatable`, `source_changed`, `integrity_failed`, `too_large` and `closed`.
    """

    #: One word for programs.
    code: str
    #: One sentence for people. It contains no token.
    message: str
    #: The status of the response, if there was one.
    status: int | None
    #: The id under which the hub or the storage logged the request.
    request_id: str | None
    #: The method of the request that failed.
    method: str | None
    #: The path of the request that failed, without its query.
    path: str | None
    #: How long the other side asks to wait.
    retry_after_seconds: int | None

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        method: str | None = None,
        path: str | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        """Takes what is known about the failure."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.method = method
        self.path = path
        self.retry_after_seconds = retry_after_seconds

    def __repr__(self) -> str:
        """The code and the sentence."""
        return f"LatchkeyError({self.code!r}, {self.message!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """An error that is pickled keeps its facts."""
        return (_restored, (self.code, self.message, self._facts()))

    def copy(self) -> LatchkeyError:
        """Returns the same error without a traceback, so that several threads can raise it."""
        return _restored(self.code, self.message, self._facts())

    def _facts(self) -> dict[str, object]:
        names = ("status", "request_id", "method", "path", "retry_after_seconds")
        return {name: getattr(self, name) for name in names}


def _restored(code: str, message: str, facts: dict[str, object]) -> LatchkeyError:
    error = LatchkeyError(code, message)
    error.__dict__.update(facts)
    return error


def bad_option(name: str, rule: str) -> LatchkeyError:
    """The value is not repeated: it may be a secret in the wrong place."""
    return LatchkeyError("bad_option", f"{name} is not allowed: {rule}.")


def clean(text: str, secrets: Iterable[Secret | None]) -> str:
    """One line of bounded length, without the tokens that the other side repeats."""
    for secret in secrets:
        if secret is not None:
            text = text.replace(secret.reveal(), repr(secret))
    # Characters beyond that would not be shown anyway.
    shown = (" " if _is_hidden(each) else each for each in text[: 8 * _MAX_TEXT])
    return re.sub(" +", " ", "".join(shown)).strip()[:_MAX_TEXT]


def _is_hidden(character: str) -> bool:
    category = unicodedata.category(character)
    return category.startswith("C") or category in ("Zl", "Zp")

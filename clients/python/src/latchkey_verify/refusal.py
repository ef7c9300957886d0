"""The errors that a gate responds with: values with a stable code, never exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

#: Why a request is rejected: one of the error codes of the documentation.
RefusalCode = Literal[
    "bad_request",
    "storage_token_missing",
    "storage_token_invalid",
    "insufficient_scope",
    "repository_mismatch",
    "ref_mismatch",
    "not_found",
    "rate_limited",
    "internal_error",
    "gate_not_ready",
]

STATUS_OF: Final[dict[RefusalCode, int]] = {
    "bad_request": 400,
    "storage_token_missing": 401,
    "storage_token_invalid": 401,
    "insufficient_scope": 403,
    "repository_mismatch": 403,
    "ref_mismatch": 403,
    "not_found": 404,
    "rate_limited": 429,
    "internal_error": 500,
    "gate_not_ready": 503,
}


@dataclass(frozen=True)
class Refusal:
    """The error of a request that the gate does not admit. It holds no part of the token."""

    #: The stable error code; docs/reference/errors.md lists them.
    code: RefusalCode
    #: A sentence for the client.
    detail: str
    #: The scope that the token lacks.
    missing: str | None = None
    retry_after_seconds: int | None = None
    #: Why a token is invalid, for the operator's log. It is never sent.
    reason: str | None = None

    @property
    def status(self) -> int:
        """The HTTP status of the response."""
        return STATUS_OF[self.code]


class CannotStart(ValueError):
    """Raised if the options of a gate are missing, contradictory or unsafe."""

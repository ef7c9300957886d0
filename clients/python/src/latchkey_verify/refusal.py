"""Every "no" that a gate answers with: a value with a stable code, never an exception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

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
    """`detail` is a sentence for the person who asked; `reason` is for the operator's log, and is never sent."""

    code: RefusalCode
    detail: str
    missing: str | None = None
    retry_after_seconds: int | None = None
    reason: str | None = None

    @property
    def status(self) -> int:
        return STATUS_OF[self.code]


class CannotStart(ValueError):
    """A gate was configured in a way that it must not be."""

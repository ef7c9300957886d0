"""A refusal as it goes over the wire: a problem document (RFC 9457) and its headers, the same through every server."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote

from .javascript import compact_json, well_formed
from .refusal import Refusal, RefusalCode
from .request import Headers
from .scrub import scrub


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes


_TITLES: Final[dict[RefusalCode, str]] = {
    "bad_request": "The request cannot be understood",
    "storage_token_missing": "A storage token is required",
    "storage_token_invalid": "The storage token is not valid",
    "insufficient_scope": "The storage token may only read",
    "repository_mismatch": "The storage token is for another repository",
    "ref_mismatch": "The storage token is for another ref",
    "not_found": "The path has no route",
    "rate_limited": "Too many requests",
    "internal_error": "The service failed",
    "gate_not_ready": "The gate cannot check tokens now",
}

# RFC 6750 §3.1
_BEARER_ERRORS: Final = {400: "invalid_request", 401: "invalid_token", 403: "insufficient_scope"}

# What Python clients of Hugging Face look for, to tell a wrong token from a missing repository.
_INVALID_CREDENTIALS: Final = "Invalid credentials in Authorization header"

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"
_NOT_PRINTABLE: Final = re.compile("[^\u0020-\u007e]")

GATE_FAILED: Final = Refusal(
    "internal_error",
    "The gate could not find out whether this request may pass. Try again; its operator finds the reason in the log.",
)


def answer_refusal(given: Refusal, headers: Headers) -> Answer:
    """`headers` are those of the request, which may ask for plain JSON."""
    # A sentence may repeat what was asked for, and somebody may have put a token there.
    refusal = replace(given, detail=scrub(given.detail))
    request_id = "".join(_LETTERS[byte & 31] for byte in secrets.token_bytes(26))
    body = compact_json(_problem(refusal, request_id)).encode()
    message = _INVALID_CREDENTIALS if refusal.status == 401 else _header_text(refusal.detail)
    lines = [
        ("Content-Type", _media_type(headers)),
        ("Content-Length", str(len(body))),
        ("X-Request-Id", request_id),
        ("Cache-Control", "no-store"),
        ("X-Error-Message", message),
    ]
    challenge = _challenge(refusal)
    if challenge is not None:
        lines.append(("WWW-Authenticate", challenge))
    if refusal.retry_after_seconds is not None:
        lines.append(("Retry-After", str(refusal.retry_after_seconds)))
    if refusal.code == "rate_limited":
        lines.append(("RateLimit", f'"latchkey";r=0;t={refusal.retry_after_seconds}'))
    return Answer(refusal.status, lines, body)


def _problem(refusal: Refusal, request_id: str) -> dict[str, object]:
    missing = {} if refusal.missing is None else {"missing": refusal.missing}
    return {
        "type": f"urn:latchkey:refusal:{refusal.code}",
        "title": _TITLES[refusal.code],
        "status": refusal.status,
        "detail": refusal.detail,
        "code": refusal.code,
        "requestId": request_id,
        "error": refusal.detail,
        **missing,
    }


def _challenge(refusal: Refusal) -> str | None:
    error = _BEARER_ERRORS.get(refusal.status)
    if error is None:
        return None
    # RFC 6750 §3: no error code when no credential was sent.
    if refusal.code == "storage_token_missing":
        return 'Bearer realm="latchkey"'
    description = re.sub(r'["\\]', "'", _header_text(refusal.detail))
    return f'Bearer realm="latchkey", error="{error}", error_description="{description}"'


def _media_type(headers: Headers) -> str:
    """Plain JSON for a client that names it and not the problem format."""
    accept = ",".join(value for name, value in headers if name.lower() == "accept")
    is_plain = "application/json" in accept and "application/problem+json" not in accept
    return "application/json" if is_plain else "application/problem+json"


def _header_text(text: str) -> str:
    """Printable ASCII, anything else percent-encoded."""
    return _NOT_PRINTABLE.sub(lambda found: quote(found[0], safe=""), well_formed(text))

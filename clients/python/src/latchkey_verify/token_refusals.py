"""Why a storage token is not accepted, in words for the person who sent it."""

from __future__ import annotations

from typing import Final, Literal

from .refusal import Refusal
from .verify_token import InvalidToken

TOKEN_MISSING: Final = Refusal(
    "storage_token_missing",
    "The request has no storage token. Ask the hub for one and send it as "
    '"Authorization: Bearer <token>"; it is read from nowhere else.',
)

_SENTENCES: Final[dict[InvalidToken | Literal["revoked"], str]] = {
    "malformed": "The storage token is not one that a hub has issued. Send accessToken as it came.",
    "unknown_key": "The storage token is signed with a key that the hub does not publish.",
    "forged": "The signature of the storage token is wrong. Send accessToken as it came.",
    "wrong_issuer": (
        "The storage token was issued by another hub than the one this gate trusts. If there is only one, "
        "its publicUrl and the issuer of the gate differ: tell the operator."
    ),
    "wrong_audience": (
        "The storage token was issued for another storage. Use it at the casUrl that came with it; "
        "if you did, hub and gate differ in casUrl: tell the operator."
    ),
    "not_yet_issued": (
        "The storage token was issued in the future. Check the clocks of hub and storage."
    ),
    "lives_too_long": (
        "The storage token lives for longer than a day, which no hub allows. Ask the hub for a new one."
    ),
    "expired": (
        "The storage token has expired. Ask the hub for a new one, 30 seconds before exp."
    ),
    "revoked": "The storage token has been revoked. Ask the hub for a new one.",
}


def token_invalid(reason: InvalidToken | Literal["revoked"]) -> Refusal:
    return Refusal("storage_token_invalid", _SENTENCES[reason], reason=reason)


# Fail closed: the token may have been revoked since.
REVOCATIONS_STALE: Final = Refusal(
    "gate_not_ready",
    "The gate does not know which storage tokens are revoked, because its revocation list is stale. "
    "Try again in a moment.",
    retry_after_seconds=5,
)

# A wrong refusal would cost an upload: clients try again after a 503, and not after a 401.
KEY_NOT_CONFIRMED: Final = Refusal(
    "gate_not_ready",
    "The storage token is signed with a key that the gate does not know, and the gate could not ask the hub "
    "since whether it is a new one. Try again in a moment.",
    retry_after_seconds=5,
)

GATE_NOT_READY: Final = Refusal(
    "gate_not_ready",
    "The gate does not have the keys of the hub yet, so it cannot verify tokens. "
    "Try again in a moment.",
    retry_after_seconds=5,
)

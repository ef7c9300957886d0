"""The signed head of a revocation list: which list counts, up to which journal number, until when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeGuard

from .claims import LARGEST_NUMBER, is_whole_number
from .javascript import compact_json, parse_object
from .jws import read_jws, signer_of
from .key_set import KeySet

InvalidHead = Literal["malformed", "unknown_key", "forged", "wrong_issuer"]

_MAX_HEAD: Final = 4096
_MAX_LIFE_SECONDS: Final = 60
_HEAD_TYPE: Final = "latchkey-revocations+jwt"
_LIST_NAME: Final = re.compile(r"[\w-]{43}", re.ASCII)

# Further ahead than bulk changes and a clock that is a little wrong can bring it.
_FARTHEST_AHEAD_MS: Final = 24 * 3600 * 1000


@dataclass(frozen=True)
class RevocationHead:
    iss: str
    #: The last entry of the journal whose entries are in the list.
    seq: int
    #: SHA-256 of the list, base64url.
    list: str
    iat: int
    exp: int

    @property
    def life_seconds(self) -> int:
        return self.exp - self.iat


@dataclass(frozen=True)
class VerifiedHead:
    head: RevocationHead
    kid: str


def verify_head(text: str, keys: KeySet, issuer: str) -> VerifiedHead | InvalidHead:
    """Whether it is over, or older than another one, is for the caller to decide. `keys` are never those of tokens."""
    jws = read_jws(text, _MAX_HEAD)
    head = _parse_head(jws.payload) if jws is not None and jws.typ == _HEAD_TYPE else None
    if jws is None or head is None:
        return "malformed"
    key = signer_of(jws, keys)
    if isinstance(key, str):
        return key
    return VerifiedHead(head, key.kid) if head.iss == issuer else "wrong_issuer"


def head_fault(head: RevocationHead, now: int, leeway_seconds: int) -> str | None:
    """Why it does not count now, in words for the operator; None if it does."""
    if head.iat > now + leeway_seconds:
        return "the hub's head of revocations was signed in the future; check the clocks of hub and gate"
    # No leeway: for so long a revoked token could be used.
    if head.exp <= now:
        return "the hub's head of revocations is over already; check the clocks, and for a cache on the way"
    # Lower numbers are ignored from then on.
    if head.seq > now * 1000 + _FARTHEST_AHEAD_MS:
        return "the hub's journal is more than a day ahead of this machine's clock; set the clocks of both"
    return None


def compare_heads(
    head: RevocationHead, held: RevocationHead | None
) -> Literal["newer", "same", "older"]:
    """`same`: says nothing that the held one does not say, at no later time."""
    if held is None or head.seq > held.seq:
        return "newer"
    if head.seq < held.seq:
        return "older"
    return "newer" if head.iat > held.iat else "same"


def _parse_head(text: str) -> RevocationHead | None:
    value = parse_object(text)
    if value is None:
        return None
    iss, seq, name = value.get("iss"), value.get("seq"), value.get("list")
    iat, exp = value.get("iat"), value.get("exp")
    if type(iss) is not str or type(name) is not str or _LIST_NAME.fullmatch(name) is None:
        return None
    if not is_whole_number(seq) or not _is_moment(iat) or not _is_moment(exp):
        return None
    head = RevocationHead(iss, seq, name, iat, exp)
    is_written_so = compact_json(vars(head)) == text
    return head if is_written_so and 0 < head.life_seconds <= _MAX_LIFE_SECONDS else None


def _is_moment(value: object) -> TypeGuard[int]:
    return type(value) is int and -LARGEST_NUMBER <= value <= LARGEST_NUMBER

"""The revocation list: entries that revoke tokens, by the hash of something that the tokens name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final

from . import base64url
from .claims import LARGEST_NUMBER
from .grant import Grant
from .javascript import well_formed

#: From the hash of an entry to the number below which a token is revoked.
RevocationList = Mapping[bytes, int]

#: An entry with this number revokes a token whatever its `as_of`.
FOR_EVER: Final = LARGEST_NUMBER

#: No journal reaches this number. A list adds to it when a final entry was made.
_FINAL_FROM: Final = 2**52
#: The longest life of a token, the largest leeway of a gate, and an hour.
_ENTRY_LIFE_SECONDS: Final = 24 * 3600 + 60 + 3600

_HASH_BYTES: Final = 32
_ENTRY_BYTES: Final = _HASH_BYTES + 8
_UNWRITTEN: Final = ".part"


def read_revocation_list(data: bytes) -> RevocationList | None:
    """None unless each entry has 40 bytes and comes after the one before."""
    if len(data) % _ENTRY_BYTES != 0:
        return None
    entries: dict[bytes, int] = {}
    last = b""
    for at in range(0, len(data), _ENTRY_BYTES):
        key = data[at : at + _HASH_BYTES]
        number = int.from_bytes(data[at + _HASH_BYTES : at + _ENTRY_BYTES], "big")
        if number > LARGEST_NUMBER or (at > 0 and key <= last):
            return None
        entries[key] = number
        last = key
    return entries


def list_hash(data: bytes) -> str:
    """The name under which a list is published."""
    return base64url.encode(hashlib.sha256(data).digest())


def entry_hash(kind: str, id: str) -> bytes:
    return hashlib.sha256(well_formed(f"{kind}:{id}").encode()).digest()


def is_over(number: int, at: int) -> bool:
    """Whether an entry has ended: every token that it could revoke has expired. An entry of a key never ends."""
    if number == FOR_EVER:
        return False
    made = number if number < _FINAL_FROM else number - _FINAL_FROM
    return -(-made // 1000) + _ENTRY_LIFE_SECONDS <= at


def names_key(entries: RevocationList, kid: str) -> bool:
    """An entry of a key is absolute: its number does not matter."""
    return entry_hash("key", kid) in entries


def is_revoked(grant: Grant, entries: RevocationList) -> bool:
    """Whether an entry revokes the token: one for ever, or one whose number is above the token's `as_of`."""
    if not entries:
        return False
    numbers = (entries.get(entry_hash(*place), 0) for place in _places_of(grant))
    # The holder of a leaked key writes any `as_of`, also one that no number is above.
    return any(number == FOR_EVER or number > grant.as_of for number in numbers)


def _places_of(grant: Grant) -> Iterator[tuple[str, str]]:
    yield "all", ""
    yield "key", grant.kid
    yield "token", grant.token_id
    yield "hub-token", grant.hub_token
    yield "account", grant.subject
    yield "account+repository", f"{grant.subject}/{grant.repository_uid}"
    yield "account+namespace", f"{grant.subject}/{grant.namespace}"
    yield "namespace", grant.namespace
    yield "repository", grant.repository_uid
    for uid in grant.ref_uids:
        # The ending closes what was written under the tag or commit; entries do not have it.
        yield "ref", uid.removesuffix(_UNWRITTEN)

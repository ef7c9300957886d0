"""A bearer credential becomes a grant; a token that was seen before is not verified again."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from .bearer import read_bearer
from .elapsed import Clock
from .failure_limit import FailureLimit
from .grant import Grant, grant_of
from .hub_keys import KeySource
from .key_set import KeySet
from .refusal import Refusal
from .remembered import Remembered
from .token_refusals import GATE_NOT_READY, KEY_NOT_CONFIRMED, TOKEN_MISSING, token_invalid
from .verify_token import LONGEST_TOKEN, Expectation, InvalidToken, Verified, verify_token

#: No header with a token of ours is longer.
_MAX_HEADER: Final = len("Bearer ") + LONGEST_TOKEN

#: About 1 KiB each.
_MAX_SEEN: Final = 20_000

#: A decision that stops at every answer of the hub that it has to wait for, and is sent that answer.
Waiting = Generator["Future[Any]", Any, "Grant | Refusal"]


@dataclass(frozen=True)
class _Unseen:
    token: str = field(repr=False)
    digest: bytes
    address: str | None
    #: It was verified before, with a key that the hub has withdrawn since.
    was_good: bool


class BearerVerifier:
    def __init__(
        self, keys: KeySource, expected: Expectation, clock: Clock, failures: FailureLimit
    ) -> None:
        self._keys = keys
        self._expected = expected
        self._clock = clock
        self._failures = failures
        self._seen: Remembered[bytes, Grant] = Remembered(_MAX_SEEN)

    def verify(self, authorization: Sequence[str], address: str | None) -> Waiting:
        """Takes every Authorization header of a request."""
        header = authorization[0] if len(authorization) == 1 else ""
        before = None
        digest = b""
        if header and len(header) <= _MAX_HEADER:
            # Neither header nor token is kept: whoever reads this memory finds nothing to use.
            digest = hashlib.sha256(header.encode("utf-8", "surrogatepass")).digest()
            before = self._seen.get(digest)
        if before is not None and before.kid in (self._keys.known() or ()):
            is_over = before.expires_at + self._expected.leeway_seconds <= self._clock()
            return token_invalid("expired") if is_over else before
        bearer = read_bearer(authorization)
        if bearer == "missing":
            return TOKEN_MISSING
        if bearer == "malformed" or len(bearer.token) > LONGEST_TOKEN:
            return token_invalid("malformed")
        return (
            yield from self._verify(_Unseen(bearer.token, digest, address, before is not None))
        )

    def _verify(self, unseen: _Unseen) -> Waiting:
        if self._keys.known() is None:
            yield self._keys.refresh()
        found = yield from self._with_newest_keys(unseen)
        if isinstance(found, (Grant, Refusal)):
            return found
        limited = self._failures.count(unseen.address) if found == "forged" else None
        return limited or token_invalid(found)

    def _with_newest_keys(
        self, unseen: _Unseen
    ) -> Generator[Future[Any], Any, Grant | Refusal | InvalidToken]:
        """An unknown key may be a new one: it is refused once the hub was asked since, and did not have it."""
        newest = self._keys.known()
        if newest is None:
            return GATE_NOT_READY
        found = self._look(unseen, newest)
        # A look that was under way may have begun before the key was made. The one after it has not, whoever began it.
        for looks in range(2):
            if found != "unknown_key":
                break
            is_asked_since = (yield self._keys.refresh()) is True
            held = self._keys.known()
            if held is None:
                return GATE_NOT_READY
            is_new = held is not newest
            if is_new:
                found = self._look(unseen, held)
            newest = held
            if is_asked_since or (is_new and looks > 0):
                return found
            if not is_new:
                break
        return KEY_NOT_CONFIRMED if found == "unknown_key" and not unseen.was_good else found

    def _look(self, unseen: _Unseen, keys: KeySet) -> Grant | InvalidToken:
        verified = verify_token(unseen.token, keys, self._expected, self._clock())
        if not isinstance(verified, Verified):
            return verified
        grant = grant_of(verified.claims, verified.kid)
        self._seen.put(unseen.digest, grant)
        return grant

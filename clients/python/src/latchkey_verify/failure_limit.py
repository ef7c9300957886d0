"""How many forged tokens one address may send in a minute before its further ones are told to wait."""

from __future__ import annotations

import math
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from .elapsed import Clock
from .refusal import Refusal
from .remembered import Remembered

_WINDOW_MS: Final = 60_000
_MAX_ADDRESSES: Final = 100_000


class FailureLimit:
    """GCRA: one number per address, the moment at which its allowance would be whole again.

    Moments are counted in parts of a millisecond so fine that one token is a whole number of them.
    """

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._whole_at: Remembered[str, int] = Remembered(_MAX_ADDRESSES)

    def count(self, address: str | None) -> Refusal | None:
        """Counts a forged token; the refusal if its address is over the limit."""
        if address is None or self._per_minute == 0:
            return None
        network, allowance = _network_of(address), _WINDOW_MS * self._per_minute
        now = self._clock() * 1000 * self._per_minute
        kept = self._whole_at.get(network) or 0
        # Further ahead than a whole allowance is a clock that was set back.
        whole = now if kept - now > allowance else max(kept, now)
        following = whole + _WINDOW_MS
        beyond = following - now - allowance
        if beyond <= 0:
            self._whole_at.put(network, following)
            return None
        seconds = math.ceil(beyond / self._per_minute / 1000)
        return Refusal(
            "rate_limited",
            f"More than {self._per_minute} storage tokens in a minute from this address were forged. "
            f"Try again in {seconds} s.",
            retry_after_seconds=seconds,
        )


def _network_of(address: str) -> str:
    """One household or machine usually has an IPv6 /64 to itself, so it counts as one."""
    known = address.removeprefix("::ffff:").partition("%")[0]
    try:
        return IPv6Address(known).exploded[:19]
    except AddressValueError:
        return known

"""Which responses may be better the next time, and how long to wait for that: ever longer, and not for ever."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from datetime import timezone
from email.utils import parsedate_to_datetime
from math import ceil
from typing import Final

_FIRST_WAIT: Final = 0.2
_MAX_WAIT: Final = 10.0
#: Longer waits are all the same: nobody waits for them.
_MAX_DIGITS: Final = 12

Chance = Callable[[], float]

system_chance: Final = random.SystemRandom().random


def is_transient(status: int | None) -> bool:
    """501 says that it never will be."""
    return status is not None and (status == 429 or (status >= 500 and status != 501))


def read_retry_after(headers: Mapping[str, str], now: float) -> int:
    """RFC 9110 §10.2.3: seconds, or a date, which is read by the clock of the one who wrote it."""
    value = headers.get("retry-after", "")
    if re.fullmatch("[0-9]+", value):
        return int(value) if len(value) <= _MAX_DIGITS else 10**_MAX_DIGITS
    at = _parse_date(value)
    return 0 if at is None else max(0, ceil(at - date_of(headers, now)))


def date_of(headers: Mapping[str, str], now: float) -> float:
    """The time of the server that made the response; this machine's own if the response has no `Date`."""
    date = _parse_date(headers.get("date", ""))
    return now if date is None else date


def _parse_date(text: str) -> float | None:
    try:
        date = parsedate_to_datetime(text)
        return (date if date.tzinfo else date.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def spread(seconds: float, chance: Chance) -> float:
    """Half of it is chance, so that clients that began together do not go on together."""
    return seconds * (0.5 + chance() / 2)


class Patience:
    """Counts failures. It begins anew with every progress."""

    def __init__(self, timeout_seconds: float, chance: Chance) -> None:
        """Allows retries until so long after the first failure."""
        self._timeout = timeout_seconds
        self._chance = chance
        self.restart()

    def restart(self) -> None:
        """There was progress."""
        self._failures = 0
        self._first: float | None = None

    def next_wait(self, steady: float, after_seconds: float) -> float | None:
        """How long to wait now, at least as long as the other side asks. None: no longer."""
        if self._first is None:
            self._first = steady
        step = min(_FIRST_WAIT * 2 ** min(self._failures, 10), _MAX_WAIT)
        wait = after_seconds + spread(step, self._chance)
        self._failures += 1
        return None if steady - self._first + wait > self._timeout else wait

"""How much time has passed since a moment, whatever happened to one of the clocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

#: Unix time in whole seconds.
Clock = Callable[[], int]
#: Seconds that only ever go forward.
Stopwatch = Callable[[], float]


def system_clock() -> int:
    return int(time.time())


@dataclass(frozen=True)
class Moment:
    """By a stopwatch, which stands still while the machine sleeps, and by a clock, which can be set back."""

    passed: float
    at: int

    def after(self, seconds: float) -> Moment:
        """The moment when so many seconds have passed, by one of the two."""
        return Moment(self.passed + seconds, int(self.at + seconds + 1))

    def is_past(self, now: Moment) -> bool:
        return now.passed >= self.passed or now.at >= self.at

    def seconds_until(self, later: Moment) -> float:
        """By the one of the two that went on further. A clock of whole seconds counts up to one that has not passed."""
        return max(later.passed - self.passed, later.at - self.at - 1)

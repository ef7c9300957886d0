"""The hub's keys: held while it is away, and fetched again in the background."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Protocol

from .background import Lock, answered, forget_after_fork, start_thread, unanswered
from .elapsed import Clock
from .fetch_document import TOKEN_KEYS, Fetch, NotFetched, fetch_key_set
from .key_set import KeySet

#: The verifier asks the hub for unknown keys at most once in this time. Tokens that come meanwhile wait for the next
#: look: a refusal would let anybody keep a new key unknown with a made-up one.
UNKNOWN_KEY_SECONDS: Final = 1
#: The verifier begins regular looks, and the first one, at most once in this time.
COOLDOWN_SECONDS: Final = 10
#: Keys older than this are looked for again while they go on serving.
FRESH_SECONDS: Final = 60
#: Keys that could not be confirmed for so long are not trusted any more.
MAX_STALE_SECONDS: Final = 24 * 3600
_PATIENCE_SECONDS: Final = 5


class KeySource(Protocol):
    """The keys that a gate trusts, for example those of a hub."""

    def known(self) -> KeySet | None:
        """The keys to trust now; None while there are none. Never waits."""

    def refresh(self) -> Future[bool]:
        """Looks for newer ones as soon as it may; tells whether they were asked for after the call, and came."""


class FixedKeys:
    """Keys that were given once and stay."""

    def __init__(self, keys: KeySet) -> None:
        self._keys = keys

    def known(self) -> KeySet:
        return self._keys

    def refresh(self) -> Future[bool]:
        return answered(True)


class HubKeys:
    def __init__(
        self,
        fetch: Fetch,
        clock: Clock,
        on_failure: Callable[[Exception], None],
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._wait = wait
        self._fetch = fetch
        self._clock = clock
        self._on_failure = on_failure
        self._held: tuple[KeySet, int] | None = None
        #: The last look for an unknown key, and the last regular one.
        self._asked_at: int | None = None
        self._looked_at: int | None = None
        self._lock = Lock()
        self.forget_threads()
        forget_after_fork(self)

    def forget_threads(self) -> None:
        self._trying: Future[bool] | None = None
        #: The look that waits until it may begin. It serves every token that comes before that.
        self._next: Future[bool] | None = None

    def known(self) -> KeySet | None:
        held = self._held
        if held is None:
            return None
        keys, at = held
        age = self._clock() - at
        if age > MAX_STALE_SECONDS:
            return None
        if not _is_within(age, FRESH_SECONDS):
            self._refresh(is_regular=True)
        return keys

    def refresh(self) -> Future[bool]:
        return self._refresh(is_regular=False)

    def _refresh(self, *, is_regular: bool) -> Future[bool]:
        with self._lock:
            if self._trying is not None:
                return _without_result(self._trying)
            if self._next is not None:
                return self._next
            now = self._clock()
            # The first look is a regular one: a key that comes right after it is asked for at once.
            if is_regular or self._held is None:
                looks = (self._asked_at, self._looked_at)
                if any(_is_cooling(at, now, COOLDOWN_SECONDS) for at in looks):
                    return answered(False)
                begun = self._begin()
                if begun is not None:
                    self._looked_at = now
            elif _is_cooling(self._asked_at, now, UNKNOWN_KEY_SECONDS):
                begun = self._begin_later()
            else:
                begun = self._begin()
                if begun is not None:
                    self._asked_at = now
            return begun or answered(False)

    def _begin(self) -> Future[bool] | None:
        trying: Future[bool] = unanswered()
        if not start_thread(lambda: self._look(trying)):
            return None
        self._trying = trying
        return trying

    def _begin_later(self) -> Future[bool] | None:
        following: Future[bool] = unanswered()
        if not start_thread(lambda: self._look_later(following)):
            return None
        self._next = following
        return following

    def _look_later(self, following: Future[bool]) -> None:
        self._wait(UNKNOWN_KEY_SECONDS)
        with self._lock:
            self._next = None
            self._trying = following
            self._asked_at = self._clock()
        self._look(following)

    def _look(self, trying: Future[bool]) -> None:
        is_fetched = False
        try:
            keys = fetch_key_set(self._fetch, TOKEN_KEYS, time.monotonic() + _PATIENCE_SECONDS)
            self._held = (keys, self._clock())
            is_fetched = True
        except NotFetched as error:
            self._on_failure(error)
        finally:
            with self._lock:
                self._trying = None
            trying.set_result(is_fetched)


def _without_result(trying: Future[bool]) -> Future[bool]:
    """The question was sent before this call, so it tells nothing about what the caller asks for."""
    waiting: Future[bool] = unanswered()
    trying.add_done_callback(lambda _ended: waiting.set_result(False))
    return waiting


def _is_cooling(since: int | None, now: int, seconds: int) -> bool:
    return since is not None and _is_within(now - since, seconds)


def _is_within(passed: int, seconds: int) -> bool:
    """A clock that was set back must not stop the looking."""
    return 0 <= passed < seconds

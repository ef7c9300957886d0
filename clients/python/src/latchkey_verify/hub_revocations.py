"""Fetches the revocation list of a hub over HTTP, and polls it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from .fetch_revocations import HeldRevocations, HubRevocationDocuments
from .background import Lock, OneInFlight, forget_after_fork, start_thread
from .elapsed import Clock, Moment, Stopwatch
from .fetch_document import Fetch, NotFetched
from .revocation_source import Snapshot, State

#: A question is given up after so long.
PATIENCE_SECONDS: Final = 4


class HubRevocations:
    def __init__(
        self,
        fetch: Fetch,
        issuer: str,
        *,
        clock: Clock,
        stopwatch: Stopwatch = time.monotonic,
        leeway_seconds: int = 30,
        poll_seconds: int = 5,
        on_failure: Callable[[Exception], None],
        on_answer: Callable[[], object] = lambda: None,
    ) -> None:
        self._clock = clock
        self._stopwatch = stopwatch
        self._poll_seconds = poll_seconds
        self._normal_seconds = poll_seconds + PATIENCE_SECONDS
        self._documents = HubRevocationDocuments(fetch, issuer, clock, self._now, leeway_seconds)
        self._on_failure = on_failure
        self._on_answer = on_answer
        self._held: HeldRevocations | None = None
        self._snapshot: Snapshot | None = None
        self._failed_at: Moment | None = None
        self._told: str | None = None
        self._lock = Lock()
        self._ended = threading.Event()
        self._is_polling = False
        self._refresh = OneInFlight(self._ask)
        forget_after_fork(self)

    def forget_threads(self) -> None:
        self._is_polling = False
        is_closed = self._ended.is_set()
        self._ended = threading.Event()
        if is_closed:
            self._ended.set()

    def latest(self) -> Snapshot | None:
        return self._snapshot

    def refresh(self) -> Future[None]:
        return self._refresh()

    def has_failed_lately(self) -> bool:
        asked = self._failed_at
        return asked is not None and asked.seconds_until(self._now()) < self._normal_seconds

    def poll(self) -> None:
        if self._is_polling or self._ended.is_set():
            return
        with self._lock:
            if not self._is_polling and not self._ended.is_set():
                self._is_polling = start_thread(self._poll)

    def close(self) -> None:
        self._ended.set()

    def _poll(self) -> None:
        # So that processes that start together do not ask together.
        wait = random.random() * self._poll_seconds
        while not self._ended.wait(wait):
            self.refresh()
            wait = self._poll_seconds

    def _now(self) -> Moment:
        return Moment(self._stopwatch(), self._clock())

    def _ask(self) -> None:
        sent = self._now()
        try:
            self._held = self._documents.ask(self._held, sent, time.monotonic() + PATIENCE_SECONDS)
            self._told = None
        except NotFetched as error:
            self._failed_at = sent
            self._tell(error)
        finally:
            self._snapshot = self._snapshot_of(self._held)
            self._on_answer()

    def _tell(self, error: NotFetched) -> None:
        """A hub that is away for an hour is one line in a log, not hundreds."""
        if str(error) == self._told:
            return
        self._told = str(error)
        self._on_failure(error)

    def _snapshot_of(self, held: HeldRevocations | None) -> Snapshot | None:
        if held is None:
            return None
        head, confirmed = held.head, held.confirmed
        is_trusted = self._documents.is_published(held.kid)
        # The hub's clock ends it, and so does the time that has passed here: each can be behind.
        ends = held.since.after(head.life_seconds)
        is_late_at = confirmed.after(self._normal_seconds)

        def state() -> State:
            now = self._now()
            if not is_trusted or now.at >= head.exp or ends.is_past(now):
                return "over"
            return "late" if is_late_at.is_past(now) else "current"

        return Snapshot(
            head.seq, held.lists.both, state, lambda: confirmed.seconds_until(self._now())
        )

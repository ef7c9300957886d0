"""Daemon threads of the client, and locks that a fork leaves open."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Final, Protocol, TypeVar
from weakref import WeakSet

Result = TypeVar("Result")

#: So many exchanges of asyncio tasks run at a time; others wait for them.
_MAX_WORKERS: Final = 64
#: A worker without work ends after so many seconds.
_IDLE_SECONDS: Final = 10.0


def unanswered() -> Future[Result]:
    """A future that no waiter can cancel: others wait for it, too."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()
    return future


def start_thread(work: Callable[[], None]) -> None:
    """It does not keep the process running."""
    threading.Thread(target=work, name="latchkey-client", daemon=True).start()


class Forgetful(Protocol):
    """An object with state that belongs to threads."""

    def forget_threads(self) -> None:
        """Called in a child process, which has none of its parent's threads."""


_forgetful: WeakSet[Forgetful] = WeakSet()


def forget_after_fork(one: Forgetful) -> None:
    """Has `one.forget_threads` called in every child process."""
    _forgetful.add(one)


def _forget_all() -> None:
    for one in list(_forgetful):
        one.forget_threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


class Lock:
    """A lock that a fork leaves open, whichever thread of the parent held it."""

    def __init__(self) -> None:
        """Opens it."""
        self.forget_threads()
        forget_after_fork(self)

    def forget_threads(self) -> None:
        """Opens it in a child process."""
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        """Waits for it."""
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leaves it."""
        self._lock.release()


class Workers:
    """A bounded number of threads that do what asyncio tasks must not wait for."""

    def __init__(self) -> None:
        """Starts no thread yet."""
        self._lock = Lock()
        self.forget_threads()
        forget_after_fork(self)

    def forget_threads(self) -> None:
        """Begins anew in a child process."""
        self._queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._running = 0
        #: Work that is queued or under way.
        self._pending = 0

    def run(self, work: Callable[[], Result]) -> Future[Result]:
        """Gives the result or the exception of `work`, which one of the threads calls."""
        future: Future[Result] = unanswered()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        with self._lock:
            self._queue.put(run)
            self._pending += 1
            if self._running >= min(self._pending, _MAX_WORKERS):
                return future
            self._running += 1
        start_thread(self._work)
        return future

    def _work(self) -> None:
        queue = self._queue
        while True:
            try:
                work = queue.get(timeout=_IDLE_SECONDS)
            except Empty:
                with self._lock:
                    # Work that came in the meantime may count on this thread.
                    if self._running <= self._pending:
                        continue
                    self._running -= 1
                return
            work()
            with self._lock:
                self._pending -= 1

"""Questions to the hub, asked on threads of their own, so that requests wait for answers and never for a socket."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Final, Protocol, TypeVar
from weakref import WeakSet

Result = TypeVar("Result")

log: Final = logging.getLogger("latchkey_verify")


def unanswered() -> Future[Result]:
    """A future that no waiter can cancel: others wait for it, too."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()
    return future


def answered(result: Result) -> Future[Result]:
    future: Future[Result] = unanswered()
    future.set_result(result)
    return future


def start_thread(work: Callable[[], None]) -> bool:
    """It does not keep the process running. False where the machine has no thread left."""
    try:
        threading.Thread(target=work, name="latchkey-verify", daemon=True).start()
        return True
    except RuntimeError:
        return False


class Forgetful(Protocol):
    def forget_threads(self) -> None:
        """Called in a child process, which has none of its parent's threads."""


_forgetful: WeakSet[Forgetful] = WeakSet()


def forget_after_fork(one: Forgetful) -> None:
    _forgetful.add(one)


def _forget_all() -> None:
    for one in list(_forgetful):
        one.forget_threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


class Lock:
    """A lock that a fork leaves open, whichever thread of the parent held it."""

    def __init__(self) -> None:
        self.forget_threads()
        forget_after_fork(self)

    def forget_threads(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()


class OneInFlight:
    """One run at a time, and one that is queued behind it.

    A run serves only callers that were there before it began, so what it finds out is never older than the call.
    """

    def __init__(self, run: Callable[[], None]) -> None:
        self._run = run
        self._lock = Lock()
        self.forget_threads()
        forget_after_fork(self)

    def forget_threads(self) -> None:
        self._is_running = False
        self._queued: Future[None] | None = None

    def __call__(self) -> Future[None]:
        with self._lock:
            if self._is_running:
                self._queued = self._queued or unanswered()
                return self._queued
            first: Future[None] = unanswered()
            is_started = start_thread(lambda: self._work(first))
            self._is_running = is_started
        if not is_started:
            first.set_result(None)
        return first

    def _work(self, future: Future[None]) -> None:
        following: Future[None] | None = future
        while following is not None:
            ended = following
            try:
                self._run()
            except Exception:
                log.exception("a question to the hub could not be asked")
            with self._lock:
                following, self._queued = self._queued, None
                self._is_running = following is not None
            ended.set_result(None)

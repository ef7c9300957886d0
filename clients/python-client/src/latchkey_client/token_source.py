"""The tokens of one scope: one is held, shared by all threads and tasks, and renewed before it is spent."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final

from .background import Lock, forget_after_fork, unanswered
from .credential import Credential
from .error import LatchkeyError
from .options import Options
from .patience import Chance, Patience, is_transient, spread
from .scope_rules import Scope
from .steps import Moment, Runtime, Sleep, Steps
from .token_request import ReceivedToken, StorageToken, request_token

#: Seconds between two requests in the background, of which the first one failed.
_MIN_PAUSE: Final = 5.0

#: An error is a value here: each waiter raises one of its own.
TokenFuture = Future[StorageToken | LatchkeyError]


@dataclass(eq=False)
class _Held:
    received: ReceivedToken
    #: Seconds after which it counts as expired.
    spent_after: float
    #: Seconds after which its next use renews it.
    renew_after: float


@dataclass(eq=False)
class _Flight:
    future: TokenFuture = field(default_factory=unanswered)
    #: Whether somebody waits, so that a failure is worth a retry.
    is_awaited: bool = False


class TokenSource:
    """Sends one request for all who need a token, and never one that nobody needs."""

    def __init__(
        self,
        scope: Scope,
        options: Options,
        credential: Credential,
        runtime: Runtime,
        chance: Chance,
    ) -> None:
        """Sends no request yet."""
        self._scope = scope
        self._options = options
        self._credential = credential
        self._runtime = runtime
        self._chance = chance
        # The hub's Date leaves out up to a second.
        self._buffer = max(1.0, options.refresh_buffer_seconds)
        self._lock = Lock()
        self._held: _Held | None = None
        self._closed: Callable[[], LatchkeyError] | None = None
        self.forget_threads()
        forget_after_fork(self)

    def forget_threads(self) -> None:
        """No thread of a parent process brings a token to this one."""
        self._flight: _Flight | None = None

    def get(self) -> StorageToken | TokenFuture:
        """The token that is held, or one that is on its way. The caller must wait for the latter."""
        flight: _Flight | None = None
        with self._lock:
            if self._closed is not None:
                raise self._closed()
            held, age = self._held, 0.0
            if held is not None:
                age = held.received.since.seconds_until(self._runtime.now())
                if age >= held.spent_after or held.received.identity != self._credential.identity:
                    held = self._held = None
            if held is not None and (age < held.renew_after or self._flight is not None):
                return held.received.token
            if self._flight is None:
                flight = self._flight = _Flight()
            current = self._flight
            if held is None:
                current.is_awaited = True
        if flight is not None:
            self._start(flight)
        return current.future if held is None else held.received.token

    def drop(self, token: StorageToken) -> None:
        """Holds this token no longer: the storage did not take it."""
        with self._lock:
            if self._held is not None and self._held.received.token is token:
                self._held = None

    def close(self, error: Callable[[], LatchkeyError]) -> None:
        """Forgets the token, and ends the wait of everybody."""
        with self._lock:
            self._closed, self._held = error, None
            flight, self._flight = self._flight, None
        if flight is not None:
            flight.future.set_result(error())

    def _start(self, flight: _Flight) -> None:
        try:
            self._runtime.spawn(lambda: self._fly(flight))
        except BaseException as error:
            self._end(flight, error)
            if not isinstance(error, RuntimeError):
                raise

    def _fly(self, flight: _Flight) -> Steps[None]:
        try:
            outcome = yield from self._request(flight)
        except BaseException as error:
            self._end(flight, error)
            if not isinstance(error, Exception):
                raise
        else:
            self._end(flight, outcome)

    def _request(self, flight: _Flight) -> Steps[ReceivedToken | LatchkeyError]:
        patience = Patience(self._options.retry_timeout_seconds, self._chance)
        while True:
            outcome = yield from request_token(
                self._scope, self._options, self._credential, self._runtime.now
            )
            if isinstance(outcome, ReceivedToken):
                return outcome
            wait: float | None = None
            if _is_worth_a_retry(outcome):
                after = outcome.retry_after_seconds or 0
                wait = patience.next_wait(self._runtime.now().steady, after)
            if self._is_unwanted(flight, wait) or wait is None:
                return outcome
            yield Sleep(wait)

    def _is_unwanted(self, flight: _Flight, wait: float | None) -> bool:
        """Whether nobody waits. Then the flight ends, and the next use that renews the token comes later."""
        with self._lock:
            if flight.is_awaited or self._flight is not flight:
                return flight.future.done()
            self._flight = None
            if self._held is not None:
                age = self._held.received.since.seconds_until(self._runtime.now())
                pause = self._held.spent_after if wait is None else max(wait, _MIN_PAUSE)
                self._held.renew_after = age + pause
            return True

    def _end(self, flight: _Flight, outcome: ReceivedToken | LatchkeyError | BaseException) -> None:
        with self._lock:
            if self._flight is not flight:
                return
            self._flight = None
            if isinstance(outcome, ReceivedToken):
                self._held = self._hold(outcome)
        if isinstance(outcome, ReceivedToken):
            flight.future.set_result(outcome.token)
        elif isinstance(outcome, LatchkeyError):
            flight.future.set_result(outcome)
        else:
            flight.future.set_exception(outcome)

    def _hold(self, received: ReceivedToken) -> _Held:
        life = received.life_seconds
        # A token that lives shorter than the buffer is used for half of its life.
        spent_after = life - min(self._buffer, life / 2)
        return _Held(received, spent_after, spent_after - spread(spent_after / 10, self._chance))


def _is_worth_a_retry(error: LatchkeyError) -> bool:
    return error.code == "hub_unreachable" or is_transient(error.status)

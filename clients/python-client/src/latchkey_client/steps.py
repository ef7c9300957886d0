"""What the client does, as steps: a thread takes them by waiting, an asyncio task by awaiting.

The logic of a call is a generator. It yields a step and gets its result, so the same code serves both, and tests
take the steps in a time of their own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from .secret import Secret

Result = TypeVar("Result")


@dataclass(frozen=True)
class Head:
    """The part of a response before its body."""

    status: int
    #: Names are in lower case; of several headers with one name, the first.
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Body:
    """The body of a request, which can be sent again."""

    length: int
    #: Makes all of its bytes anew. Called on the thread that sends them.
    open: Callable[[], Iterable[bytes]]


Receive = Callable[[Head, Iterator[bytes]], Any]


@dataclass(frozen=True)
class Send:
    """One request and its response. Redirects are never followed."""

    method: str
    url: str
    headers: Sequence[tuple[str, str]]
    #: The token that goes along.
    bearer: Secret | None
    #: Reads the response, on the thread of the exchange; its result is that of the step.
    receive: Receive
    body: Body | None = None
    #: The whole exchange ends by then.
    deadline_seconds: float | None = None
    #: A connection without a byte for so long is broken.
    idle_seconds: float = 60.0


@dataclass(frozen=True)
class Sleep:
    """A wait, which ends early if the client is closed."""

    seconds: float


@dataclass(frozen=True)
class Read:
    """The next part of a stream."""

    read: Callable[[], bytes | Awaitable[bytes]]


class Unreachable(Exception):
    """The other side did not respond. `reason` is one word, or nothing."""

    def __init__(self, reason: str) -> None:
        """Keeps a reason without any text of the request."""
        super().__init__(reason)
        self.reason = reason


#: A future is waited for.
Step = Send | Sleep | Read | Future[Any]
Steps = Generator[Step, Any, Result]


@dataclass(frozen=True)
class Moment:
    """By a clock that is never set but may stand still in sleep, and by one that runs on but may be set. In seconds."""

    steady: float
    wall: float

    def seconds_until(self, later: Moment) -> float:
        """By the clock that has gone further."""
        return max(later.steady - self.steady, later.wall - self.wall)


class Runtime(Protocol):
    """The world in which steps are taken: network, time and threads."""

    def now(self) -> Moment:
        """The present."""

    def spawn(self, work: Callable[[], Steps[None]]) -> None:
        """Takes the steps on a thread of the client."""

    def take(self, step: Step) -> Any:
        """Takes a step, and keeps this thread waiting for its result."""

    async def take_async(self, step: Step) -> Any:
        """Takes a step in an asyncio task."""

    def close(self) -> None:
        """Ends all steps that are under way, and refuses further ones."""


def drive(steps: Steps[Result], runtime: Runtime) -> Result:
    """Takes all steps on this thread."""
    try:
        step = next(steps)
        while True:
            try:
                result = runtime.take(step)
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(result)
    except StopIteration as end:
        result = end.value
    finally:
        steps.close()
    typed: Result = result
    return typed


async def drive_async(steps: Steps[Result], runtime: Runtime) -> Result:
    """Takes all steps in this task."""
    try:
        step = next(steps)
        while True:
            try:
                result = await runtime.take_async(step)
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(result)
    except StopIteration as end:
        result = end.value
    finally:
        steps.close()
    typed: Result = result
    return typed

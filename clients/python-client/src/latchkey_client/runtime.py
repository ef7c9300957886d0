"""The real world of a client: its network, its clocks and its threads."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any

from .background import Lock, Workers, forget_after_fork, start_thread, unanswered
from .error import LatchkeyError
from .service_url import ServiceUrl, parse_service_url
from .steps import Moment, Read, Send, Sleep, Step, Steps, drive
from .transport import Exchange


def closed() -> LatchkeyError:
    """A new one each time, because several threads raise it."""
    return LatchkeyError("closed", "The client is closed.")


class SystemRuntime:
    """Takes steps on sockets of the machine."""

    def __init__(self) -> None:
        """Opens nothing yet."""
        self._lock = Lock()
        self._is_closed = threading.Event()
        self._closing: Future[None] = unanswered()
        self._workers = Workers()
        self.forget_threads()
        forget_after_fork(self)

    def forget_threads(self) -> None:
        """The exchanges of a parent process are not those of its child."""
        self._exchanges: set[Exchange] = set()

    def now(self) -> Moment:
        """By the clocks of the machine."""
        return Moment(time.monotonic(), time.time())

    def spawn(self, work: Callable[[], Steps[None]]) -> None:
        """On a daemon thread of its own."""
        start_thread(lambda: drive(work(), self))

    def take(self, step: Step) -> Any:
        """On this thread."""
        if isinstance(step, Future):
            return step.result()
        if isinstance(step, Sleep):
            self._is_closed.wait(step.seconds)
            self._refuse_if_closed()
            return None
        if isinstance(step, Read):
            chunk = step.read()
            if inspect.iscoroutine(chunk):
                chunk.close()
            if inspect.isawaitable(chunk):
                raise TypeError("a file whose read() must be awaited needs upload_async")
            return chunk
        return self._run(self._exchange_of(step))

    async def take_async(self, step: Step) -> Any:
        """Blocking work is done by a bounded number of threads."""
        if isinstance(step, Future):
            return await asyncio.wrap_future(step)
        if isinstance(step, Sleep):
            await self._sleep(step.seconds)
            return None
        if isinstance(step, Read):
            return await self._read(step)
        exchange = self._exchange_of(step)
        running = self._workers.run(lambda: self._run(exchange))
        try:
            return await asyncio.wrap_future(running)
        except asyncio.CancelledError:
            exchange.abort()
            raise

    def close(self) -> None:
        """Ends sleeps and exchanges."""
        with self._lock:
            exchanges = list(self._exchanges)
            if not self._is_closed.is_set():
                self._is_closed.set()
                self._closing.set_result(None)
        for exchange in exchanges:
            exchange.abort()

    def _refuse_if_closed(self) -> None:
        if self._is_closed.is_set():
            raise closed()

    async def _sleep(self, seconds: float) -> None:
        closing = asyncio.wrap_future(self._closing)
        await asyncio.wait([closing], timeout=seconds)
        closing.cancel()
        self._refuse_if_closed()

    async def _read(self, step: Read) -> bytes:
        chunk: bytes | Awaitable[bytes] = await asyncio.wrap_future(self._workers.run(step.read))
        return await chunk if inspect.isawaitable(chunk) else chunk

    def _exchange_of(self, send: Send) -> Exchange:
        url, target = _split(send.url)
        return Exchange(send, url, target)

    def _run(self, exchange: Exchange) -> Any:
        with self._lock:
            self._refuse_if_closed()
            self._exchanges.add(exchange)
        try:
            return exchange.run()
        finally:
            with self._lock:
                self._exchanges.discard(exchange)
            self._refuse_if_closed()


def _split(url: str) -> tuple[ServiceUrl, str]:
    """The origin, and the target of a request to it."""
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    origin = parse_service_url(f"{scheme}://{authority}")
    if origin is None:
        raise ValueError("the URL has no origin")
    return origin, slash + path

"""The hub and the storage of vectors/client.json, and a world whose time only the test moves."""

from __future__ import annotations

import asyncio
import heapq
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from email.utils import formatdate
from itertools import count
from typing import Any

from latchkey_client.background import unanswered
from latchkey_client.runtime import closed
from latchkey_client.steps import Head, Moment, Send, Sleep, Step, Steps, Unreachable


@dataclass
class Seen:
    """A request as it went over the wire."""

    method: str
    url: str
    headers: dict[str, str]
    body: str


@dataclass
class Network:
    """Answers as the script says."""

    cas_url: str
    lifetime_seconds: int
    hub: list[Any] = field(default_factory=lambda: ["default"])
    storage: list[Any] = field(default_factory=lambda: ["default"])
    seen: list[Seen] = field(default_factory=list)
    to_hub: int = 0
    to_storage: int = 0
    issued: int = 0
    #: The casUrl of each access token that the hub issued.
    homes: dict[str, str] = field(default_factory=dict)
    revoked: set[str] = field(default_factory=set)
    lives: dict[str, int] = field(default_factory=dict)

    def answer(self, send: Send, now: float) -> tuple[float, Any]:
        """After how many seconds what arrives: a head with its body, or a failure."""
        seen = _seen(send)
        self.seen.append(seen)
        is_hub = "-token/" in seen.url
        self.to_hub += is_hub
        self.to_storage += not is_hub
        scripts = self.hub if is_hub else self.storage
        script = scripts[0]
        if len(scripts) > 1:
            scripts.pop(0)
        if script != "default" and "failure" in script:
            if script["failure"] == "network":
                return 0, Unreachable("ECONNRESET")
            return send.deadline_seconds or send.idle_seconds, Unreachable("ETIMEDOUT")
        options = {} if script == "default" else script
        if is_hub:
            is_plain = "status" in options or "body" in options
            body = _text(options.get("body", "")) if is_plain else json.dumps(self._issue(options, now))
            made = self._made(options, body, now)
        elif script == "default":
            token = seen.headers.get("authorization", "").removeprefix("Bearer ")
            is_good = self.lives.get(token, 0) > now and token not in self.revoked
            made = self._made({"status": 200 if is_good else 401}, seen.body if is_good else "", now)
        else:
            made = self._made(options, _text(options.get("body", "")), now)
        return options.get("afterSeconds", 0), made

    def _issue(self, options: dict[str, Any], now: float) -> dict[str, Any]:
        exp = int(now) + options.get("lifetimeSeconds", self.lifetime_seconds)
        usual = {"accessToken": f"access.{self.issued + 1}.token", "exp": exp, "casUrl": self.cas_url}
        self.issued += 1
        wanted = {**usual, **options.get("token", {})}
        members = {
            name: _text(value) if isinstance(value, dict) and "padTo" in value else value
            for name, value in wanted.items()
            if value is not None
        }
        token = members.get("accessToken")
        if isinstance(token, str):
            self.lives[token] = exp
            self.homes[token] = str(members.get("casUrl")).removesuffix("/")
        return members

    def _made(self, options: dict[str, Any], body: str, now: float) -> tuple[Head, bytes]:
        headers = {"date": {"secondsFromNow": 0}, **options.get("headers", {})}
        written = {
            name: value if isinstance(value, str) else formatdate(now + value["secondsFromNow"], usegmt=True)
            for name, value in headers.items()
            if value is not None
        }
        return Head(options.get("status", 200), written), body.encode()


class ScriptedRuntime:
    """Takes steps in a time that passes only when everybody waits."""

    def __init__(self, network: Network, start: float, skew_seconds: float) -> None:
        self.network = network
        self.steady = 0.0
        self._start = start
        self._skew = skew_seconds
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._is_closed = False
        self._changed = threading.Condition()
        #: Callers that wait for a step, whichever thread or task they are.
        self.waiting = 0
        self._all = 0

    def true_time(self) -> float:
        return self._start + self.steady

    def set_skew(self, seconds: float) -> None:
        self._skew = seconds

    def now(self) -> Moment:
        return Moment(self.steady, self.true_time() + self._skew)

    def spawn(self, work: Callable[[], Steps[None]]) -> None:
        steps = work()

        def go_on(done: Future[Any] | None) -> None:
            try:
                if done is None:
                    step = next(steps)
                elif (error := done.exception()) is not None:
                    step = steps.throw(error)
                else:
                    step = steps.send(done.result())
            except StopIteration:
                return
            self._begin(step).add_done_callback(go_on)

        go_on(None)

    def take(self, step: Step) -> Any:
        return self._waited(self._begin(step)).result()

    async def take_async(self, step: Step) -> Any:
        return await asyncio.wrap_future(self._waited(self._begin(step)))

    def close(self) -> None:
        self._is_closed = True

    def pass_next(self, until: float = float("inf")) -> bool:
        """Lets the next thing happen, unless it is later than that."""
        with self._changed:
            if not self._events or self._events[0][0] > until:
                return False
            due, _, act = heapq.heappop(self._events)
            self.steady = max(self.steady, due)
        act()
        return True

    def add_waiting(self, change: int) -> None:
        with self._changed:
            self.waiting += change
            if self.waiting == self._all:
                self._changed.notify_all()

    def until_all_wait(self, count: int) -> None:
        """Until so many callers wait."""
        with self._changed:
            self._all = count
            if not self._changed.wait_for(lambda: self.waiting >= count, 60):
                raise TimeoutError("a caller neither waits nor ends")

    def _waited(self, future: Future[Any]) -> Future[Any]:
        self.add_waiting(1)
        future.add_done_callback(lambda _: self.add_waiting(-1))
        return future

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        with self._changed:
            heapq.heappush(self._events, (self.steady + seconds, next(self._order), act))

    def _begin(self, step: Step) -> Future[Any]:
        if isinstance(step, Future):
            return step
        future: Future[Any] = unanswered()
        if self._is_closed:
            future.set_exception(closed())
        elif isinstance(step, Sleep):
            self._later(step.seconds, lambda: future.set_result(None))
        else:
            assert isinstance(step, Send)
            with self._changed:
                seconds, answer = self.network.answer(step, self.true_time())
            self._later(seconds, lambda: _receive(step, answer, future))
        return future


def _receive(send: Send, answer: Any, future: Future[Any]) -> None:
    if isinstance(answer, Exception):
        future.set_exception(answer)
        return
    head, body = answer
    try:
        future.set_result(send.receive(head, iter([body])))
    except Exception as error:
        future.set_exception(error)


def _seen(send: Send) -> Seen:
    headers = dict(send.headers)
    if send.bearer is not None:
        headers["authorization"] = f"Bearer {send.bearer.reveal()}"
    body = b"" if send.body is None else b"".join(send.body.open())
    return Seen(send.method, send.url, headers, body.decode())


def _text(body: Any) -> str:
    if isinstance(body, str):
        return body
    if isinstance(body, dict) and "padTo" in body:
        return str(body["text"]).ljust(body["padTo"], "a")
    return json.dumps(body)

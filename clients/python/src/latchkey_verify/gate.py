"""The gate: one storage request in, a grant or a refusal out."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedTooLong
from dataclasses import dataclass
from typing import Any, Final, Union

from .authorise import authorise
from .failure_limit import FailureLimit
from .grant import Grant
from .options import Options, settle
from .refusal import Refusal
from .request import Request, read_request
from .revocation_judge import RevocationJudge
from .revocation_source import RevocationSource
from .scope_rules import Scope, scope_rules
from .verify_bearer import BearerVerifier
from .verify_token import Expectation

#: No answer of the hub is waited for longer: the question itself is given up before.
_MAX_WAIT_SECONDS: Final = 7


@dataclass(frozen=True)
class Admitted:
    """A request that may pass: with which grant, to which path of the storage, wanting which scope."""

    grant: Grant
    #: Without the prefix that named repository and ref.
    path: str
    prefix: str
    #: With its question mark, or empty.
    query: str
    wanted: Scope


@dataclass(frozen=True)
class Refused:
    refusal: Refusal
    #: Who was refused, once the token was found to be right.
    grant: Grant | None = None


Checked = Union[Admitted, Refused]


class Gate:
    """`Gate(Options(hub_url=..., cas_url=...))`. Any thread may use it, and so may every process that is forked."""

    def __init__(self, options: Options) -> None:
        settled = settle(options)
        self.audience = settled.audience
        self._authority = settled.authority
        self._keys = settled.keys
        self._revocations = settled.revocations
        self._place_of = settled.place_of
        self._scope_wanted = scope_rules(options.rules)
        self._judge = RevocationJudge(settled.revocations, options.when_stale)
        expected = Expectation(settled.issuer, settled.audience, options.leeway_seconds)
        failures = FailureLimit(options.failures_per_minute, options.clock)
        self._bearers = BearerVerifier(settled.keys, expected, options.clock, failures)

    def check(self, request: Request) -> Checked:
        """Waits only where the hub has to be asked first. A "no" is a value; nothing in a request makes it raise."""
        judging = self._judging(request)
        answer: object = None
        while True:
            try:
                awaited = judging.send(answer)
            except StopIteration as end:
                checked: Checked = end.value
                return checked
            answer = _answer_of(awaited)

    async def check_async(self, request: Request) -> Checked:
        """The same, without blocking the event loop of asyncio."""
        judging = self._judging(request)
        answer: object = None
        while True:
            try:
                awaited = judging.send(answer)
            except StopIteration as end:
                checked: Checked = end.value
                return checked
            await asyncio.wait([asyncio.wrap_future(awaited)], timeout=_MAX_WAIT_SECONDS)
            answer = awaited.result() if awaited.done() else None

    def judge(self, grant: Grant) -> Refusal | None:
        """Whether what a token allows is still good, by the newest list of the hub and without waiting."""
        return self._judge.judge(grant)

    def is_ready(self) -> bool:
        """Whether there are keys to verify with, and the hub has said which tokens were taken back."""
        return self._keys.known() is not None and self._judge.is_ready()

    def refresh(self) -> bool:
        """Asks the hub for keys and revocations, and waits for both; tells whether the gate is ready then."""
        for awaited in (self._keys.refresh(), self._revocations.refresh()):
            _answer_of(awaited)
        return self.is_ready()

    def poll(self) -> None:
        """From now on the hub is asked every few seconds, so that no request waits for it."""
        self._revocations.poll()

    def close(self) -> None:
        """Ends that."""
        self._revocations.close()

    @property
    def revocations(self) -> RevocationSource:
        return self._revocations

    def _judging(self, given: Request) -> Generator[Future[Any], Any, Checked]:
        request = read_request(given, self._authority)
        if isinstance(request, Refusal):
            return Refused(request)

        place = self._place_of(request)
        paths = (request.path,) if place is None else place.judged
        wanted = self._strictest(request.method, paths)

        grant = yield from self._bearers.verify(request.authorization, request.address)
        if isinstance(grant, Refusal):
            return Refused(grant)
        taken_back = yield from self._judge.judge_by_news(grant)
        if taken_back is not None:
            return Refused(taken_back, grant)

        addressed = authorise(grant, wanted, place)
        if isinstance(addressed, Refusal):
            return Refused(addressed, grant)
        return Admitted(grant, addressed.path, addressed.prefix, request.query, wanted)

    def _strictest(self, method: str, paths: tuple[str, ...]) -> Scope:
        return "write" if any(self._scope_wanted(method, path) == "write" for path in paths) else "read"


def _answer_of(awaited: Future[Any]) -> object:
    try:
        answer: object = awaited.result(_MAX_WAIT_SECONDS)
        return answer
    except WaitedTooLong:
        return None

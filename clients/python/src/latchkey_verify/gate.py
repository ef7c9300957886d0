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
from .revocation_check import RevocationCheck
from .revocation_source import RevocationSource
from .scope_rules import Scope, scope_rules
from .verify_bearer import BearerVerifier
from .verify_token import Expectation

#: No answer of the hub is waited for longer: the question itself is given up before.
_MAX_WAIT_SECONDS: Final = 7


@dataclass(frozen=True)
class Admission:
    """A request that the gate has admitted."""

    #: What the verified token allows.
    grant: Grant
    #: The path without the prefix that names repository and ref: `/v1/chunks/abc`.
    path: str
    #: The part of the path that names repository and ref.
    prefix: str
    #: Begins with its question mark, or is empty.
    query: str
    #: The scope that the request needs.
    required_scope: Scope


@dataclass(frozen=True)
class Rejection:
    """A request that the gate has not admitted."""

    refusal: Refusal
    #: The grant of the token, if the token is valid but does not allow the request.
    grant: Grant | None = None


#: What a check gives: the request may pass, or the response that it gets.
CheckResult = Union[Admission, Rejection]


class Gate:
    """Checks requests: `Gate(Options(hub_url=..., cas_url=...))`.

    A gate with a `hub_url` polls the hub on a daemon thread, from its first use until `close`. Any thread may use it, and
    so may processes that are forked later.
    """

    def __init__(self, options: Options) -> None:
        """Fails with `CannotStart` if the options make no sense. Sends no request yet."""
        settled = settle(options)
        self.audience = settled.audience
        self._authority = settled.authority
        self._keys = settled.keys
        self._revocations = settled.revocations
        self._place_of = settled.place_of
        self._scope_wanted = scope_rules(options.rules)
        self._revocation_check = RevocationCheck(settled.revocations, options.when_stale)
        expected = Expectation(settled.issuer, settled.audience, options.leeway_seconds)
        failures = FailureLimit(options.failures_per_minute, options.clock)
        self._bearers = BearerVerifier(settled.keys, expected, options.clock, failures)

    def check(self, request: Request) -> CheckResult:
        """Checks a request, and returns `Admission` or `Rejection`. Nothing in a request makes it raise.

        It waits for the hub only if keys or the revocation list are missing or old.
        """
        checking = self._checking(request)
        answer: object = None
        while True:
            try:
                awaited = checking.send(answer)
            except StopIteration as end:
                checked: CheckResult = end.value
                return checked
            answer = _answer_of(awaited)

    async def check_async(self, request: Request) -> CheckResult:
        """Does the same as `check` without blocking the event loop of asyncio."""
        checking = self._checking(request)
        answer: object = None
        while True:
            try:
                awaited = checking.send(answer)
            except StopIteration as end:
                checked: CheckResult = end.value
                return checked
            await asyncio.wait([asyncio.wrap_future(awaited)], timeout=_MAX_WAIT_SECONDS)
            answer = awaited.result() if awaited.done() else None

    def check_grant(self, grant: Grant) -> Refusal | None:
        """Checks a grant against the newest revocation list, without waiting: for work that takes long.

        Returns None if the token is still good, and a `Refusal` if it is revoked or the list is stale.
        """
        self.start()
        return self._revocation_check.check(grant)

    def is_ready(self) -> bool:
        """Whether the gate has keys and a revocation list that is not stale, for a health check.

        If the keys are missing, it starts to fetch them.
        """
        self.start()
        if self._keys.known() is None:
            self._keys.refresh()
            return False
        return self._revocation_check.is_ready()

    def refresh(self) -> bool:
        """Fetches keys and revocation list, and waits for both. Returns whether the gate is ready then."""
        for awaited in (self._keys.refresh(), self._revocations.refresh()):
            _answer_of(awaited)
        return self.is_ready()

    def start(self) -> None:
        """Starts the polling of the revocation list on a daemon thread. Every other method does so too."""
        self._revocations.poll()

    def close(self) -> None:
        """Stops the polling. A closed gate still checks requests; with an old list, they wait for the hub."""
        self._revocations.close()

    @property
    def revocations(self) -> RevocationSource:
        """The source of the revocation list."""
        return self._revocations

    def _checking(self, given: Request) -> Generator[Future[Any], Any, CheckResult]:
        self.start()
        request = read_request(given, self._authority)
        if isinstance(request, Refusal):
            return Rejection(request)

        place = self._place_of(request)
        paths = (request.path,) if place is None else place.checked_paths
        wanted = self._strictest(request.method, paths)

        grant = yield from self._bearers.verify(request.authorization, request.address)
        if isinstance(grant, Refusal):
            return Rejection(grant)
        revoked = yield from self._revocation_check.check_fresh(grant)
        if revoked is not None:
            return Rejection(revoked, grant)

        addressed = authorise(grant, wanted, place)
        if isinstance(addressed, Refusal):
            return Rejection(addressed, grant)
        return Admission(grant, addressed.path, addressed.prefix, request.query, wanted)

    def _strictest(self, method: str, paths: tuple[str, ...]) -> Scope:
        return "write" if any(self._scope_wanted(method, path) == "write" for path in paths) else "read"


def _answer_of(awaited: Future[Any]) -> object:
    try:
        answer: object = awaited.result(_MAX_WAIT_SECONDS)
        return answer
    except WaitedTooLong:
        return None

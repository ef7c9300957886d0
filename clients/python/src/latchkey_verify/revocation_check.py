"""Checks a grant against the newest revocation list: at the start of a request, and while one runs."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, Literal
from weakref import WeakKeyDictionary

from .grant import Grant
from .refusal import Refusal
from .revocation_list import RevocationList, is_revoked
from .revocation_source import RevocationSource, Snapshot
from .token_refusals import REVOCATIONS_STALE, token_invalid

#: What a gate does while its revocation list is stale: `reject` returns 503, `allow` uses the last list.
WhenStale = Literal["reject", "allow"]


class RevocationCheck:
    def __init__(self, source: RevocationSource, when_stale: WhenStale) -> None:
        self._source = source
        self._when_stale = when_stale
        self._good: WeakKeyDictionary[Grant, RevocationList] = WeakKeyDictionary()

    def is_ready(self) -> bool:
        """Whether requests can be checked at all."""
        return self._usable(self._source.latest()) is not None

    def check(self, grant: Grant) -> Refusal | None:
        """The refusal, if the grant is revoked or the list is stale. Never waits."""
        snapshot = self._usable(self._source.latest())
        return REVOCATIONS_STALE if snapshot is None else self._check_by(snapshot, grant)

    def check_fresh(self, grant: Grant) -> Generator[Future[Any], Any, Refusal | None]:
        """The same with a list as new as the normal bound promises. It waits for the hub if the list is older."""
        snapshot = self._source.latest()
        if snapshot is not None and snapshot.state() == "current":
            return self._check_by(snapshot, grant)
        if not self._source.has_failed_lately():
            yield self._source.refresh()
        return self.check(grant)

    def _usable(self, snapshot: Snapshot | None) -> Snapshot | None:
        if snapshot is None or self._when_stale == "allow":
            return snapshot
        return None if snapshot.state() == "over" else snapshot

    def _check_by(self, snapshot: Snapshot, grant: Grant) -> Refusal | None:
        # Most requests come with a token that was checked against this list before.
        if self._good.get(grant) is snapshot.list:
            return None
        if is_revoked(grant, snapshot.list):
            return token_invalid("revoked")
        self._good[grant] = snapshot.list
        return None

"""Judges by the newest snapshot whether a grant is still good: at the start of a request, and while one runs."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, Literal
from weakref import WeakKeyDictionary

from .grant import Grant
from .refusal import Refusal
from .revocation_list import RevocationList, is_cut
from .revocation_source import RevocationSource, Snapshot
from .token_refusals import NO_NEWS, token_invalid

#: What a gate does when the hub has been silent for longer than its last head lives.
WhenStale = Literal["reject", "allow"]


class RevocationJudge:
    def __init__(self, source: RevocationSource, when_stale: WhenStale) -> None:
        self._source = source
        self._when_stale = when_stale
        self._good: WeakKeyDictionary[Grant, RevocationList] = WeakKeyDictionary()

    def is_ready(self) -> bool:
        """Whether requests can be judged at all."""
        return self._usable(self._source.latest()) is not None

    def judge(self, grant: Grant) -> Refusal | None:
        """The refusal, if the grant was taken back or that cannot be known. Never waits."""
        snapshot = self._usable(self._source.latest())
        return NO_NEWS if snapshot is None else self._judge_by(snapshot, grant)

    def judge_by_news(self, grant: Grant) -> Generator[Future[Any], Any, Refusal | None]:
        """The same by news that are as new as the normal bound promises, if the hub gives them: only then it waits."""
        snapshot = self._source.latest()
        if snapshot is not None and snapshot.state() == "current":
            return self._judge_by(snapshot, grant)
        if not self._source.is_asked_in_vain():
            yield self._source.refresh()
        return self.judge(grant)

    def _usable(self, snapshot: Snapshot | None) -> Snapshot | None:
        if snapshot is None or self._when_stale == "allow":
            return snapshot
        return None if snapshot.state() == "over" else snapshot

    def _judge_by(self, snapshot: Snapshot, grant: Grant) -> Refusal | None:
        # Most requests come with a token that was judged by this list before.
        if self._good.get(grant) is snapshot.list:
            return None
        if is_cut(grant, snapshot.list):
            return token_invalid("revoked")
        self._good[grant] = snapshot.list
        return None

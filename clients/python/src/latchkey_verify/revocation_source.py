"""Where a gate gets the revocation list."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from .background import answered
from .revocation_list import RevocationList

State = Literal["current", "late", "over"]


@dataclass(frozen=True)
class Snapshot:
    """The revocation list of a hub at one time."""

    #: The last number of the hub's journal that the list includes; None if the source never revokes a token.
    seq: int | None
    #: The same object in every snapshot with the same list.
    list: RevocationList
    #: `late`: older than the normal bound promises. `over`: stale, because the head has expired.
    state: Callable[[], State]
    #: Seconds since the gate sent the last request that returned it.
    age_seconds: Callable[[], float]


class RevocationSource(Protocol):
    """A source of revocation lists, for example one of your own. `Options.revocations` takes it."""

    def latest(self) -> Snapshot | None:
        """The newest snapshot, stale or not; None before the first. Never waits."""

    def refresh(self) -> Future[None]:
        """Requests the list. The request is sent after the call; concurrent callers share it. It never fails."""

    def has_failed_lately(self) -> bool:
        """Whether the last request failed within the normal bound. Then no storage request waits for another one."""

    def poll(self) -> None:
        """Polls in the background from now on. The gate calls it at every use; only the first call has an effect."""

    def close(self) -> None:
        """Stops the polling, for good."""


class FixedRevocations:
    """One list that never changes."""

    def __init__(self, entries: RevocationList | None = None) -> None:
        self._always = Snapshot(None, entries or {}, lambda: "current", lambda: 0.0)

    def latest(self) -> Snapshot:
        return self._always

    def refresh(self) -> Future[None]:
        return answered(None)

    def has_failed_lately(self) -> bool:
        return False

    def poll(self) -> None:
        pass

    def close(self) -> None:
        pass


#: For a gate without revocations: a token is valid until it expires.
no_revocations: Final[RevocationSource] = FixedRevocations()

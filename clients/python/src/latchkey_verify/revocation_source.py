"""Where a gate learns which storage tokens have been taken back."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal, Protocol

from .background import answered
from .revocation_list import RevocationList

State = Literal["current", "late", "over"]


@dataclass(frozen=True)
class Snapshot:
    """The cut-offs of a hub as of one moment."""

    #: The last entry of the hub's journal whose cut-offs are in the list; None where nothing is ever taken back.
    seq: int | None
    #: The same object in every snapshot with the same list.
    list: RevocationList
    #: `late`: older than the normal bound promises. `over`: the life of its head has ended.
    state: Callable[[], State]
    #: Since the last question was sent that brought it.
    age_seconds: Callable[[], float]


class RevocationSource(Protocol):
    def latest(self) -> Snapshot | None:
        """The newest snapshot, over or not; None before the first. Never waits."""

    def refresh(self) -> Future[None]:
        """Asks the hub. The question is sent after the call, and callers at one time share it; never fails."""

    def is_asked_in_vain(self) -> bool:
        """Whether the hub was asked in vain within the normal bound: then no request waits for another question."""

    def poll(self) -> None:
        """Asks again and again by itself, from now on."""

    def close(self) -> None:
        """Ends that."""


class NothingRevoked:
    """For a gate whose tokens nobody takes back before they expire."""

    def __init__(self, entries: RevocationList | None = None) -> None:
        self._always = Snapshot(None, entries or {}, lambda: "current", lambda: 0.0)

    def latest(self) -> Snapshot:
        return self._always

    def refresh(self) -> Future[None]:
        return answered(None)

    def is_asked_in_vain(self) -> bool:
        return False

    def poll(self) -> None:
        pass

    def close(self) -> None:
        pass

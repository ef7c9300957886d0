"""Entries that a newer list lacks: a hub whose database was rolled back does not know what it has revoked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from .revocation_list import RevocationList, is_over

#: As many as a list can have.
_MAX_KEPT: Final = 100_000


@dataclass(frozen=True)
class KeptEntry:
    number: int
    #: The id of the key that signed the last head whose list had the entry.
    kid: str


@dataclass(frozen=True)
class RevocationLists:
    """The list that a head names, what it lacks, and both together, which tokens are checked against."""

    listed: RevocationList
    kept: Mapping[bytes, KeptEntry]
    both: RevocationList


def keep_entries(
    held: RevocationLists,
    kid: str,
    listed: RevocationList,
    at: int,
    is_published: Callable[[str], bool],
) -> RevocationLists:
    """Keeps each entry until it has ended; `kid` signed the head of the held list, `at` is when the new one was signed.

    The entries of a key that the hub has withdrawn go with it: they may be a thief's.
    """
    kept: dict[bytes, KeptEntry] = {}
    before = [*held.kept.items()]
    if held.listed is not listed:
        before += [(key, KeptEntry(number, kid)) for key, number in held.listed.items()]
    for key, entry in before:
        known = max(listed.get(key, -1), kept[key].number if key in kept else -1)
        if entry.number > known and not is_over(entry.number, at) and is_published(entry.kid):
            kept[key] = entry
    if len(kept) > _MAX_KEPT:
        newest = sorted(kept.items(), key=lambda each: each[1].number % 2**52, reverse=True)
        kept = dict(newest[:_MAX_KEPT])
    if held.listed is listed and held.kept == kept:
        return held
    if not kept:
        return RevocationLists(listed, kept, listed)
    both = {**listed, **{key: entry.number for key, entry in kept.items()}}
    return RevocationLists(listed, kept, both)

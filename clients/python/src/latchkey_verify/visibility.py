"""Isolation inside a storage: which rows of the storage's own tables a token may read."""

from __future__ import annotations

import time
from dataclasses import dataclass

from .grant import Grant


@dataclass(frozen=True)
class Row:
    """The origin of stored content: store it beside each file or block, as three columns."""

    repository_uid: str
    ref_uid: str
    #: The place of the row in the order of the hub's journal; see `row_for`.
    written_at: int


def row_for(grant: Grant, now_ms: int | None = None) -> Row:
    """Returns the row of content that this grant writes now.

    `written_at` is the higher of the clock in Unix milliseconds and the grant's `as_of`, so that a slow clock opens
    nothing to a fork.
    """
    now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    if type(now) is not int or now < 0:
        raise ValueError(f"now_ms: {now_ms!r} is not a time; give whole Unix milliseconds")
    return Row(grant.repository_uid, grant.ref_uid, max(now, grant.as_of))


def visible(grant: Grant, row: Row) -> bool:
    """Whether the token may read the row: content of its own ref, or older content of an inherited ref. Respond with 404 to
    other rows.

    >>> visible(grant, row_for(grant))
    True
    """
    if row.repository_uid != grant.repository_uid:
        return False
    if row.ref_uid == grant.ref_uid:
        return True
    return any(row.ref_uid == seen.uid and row.written_at < seen.before for seen in grant.sees)

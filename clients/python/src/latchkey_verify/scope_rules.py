"""Which scope a storage request wants: the table that gate and clients share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .later_unicode import LATER_UNICODE
from .storage_path import decode_path, is_normal_path

#: What a token allows. `write` includes `read`.
Scope = Literal["read", "write"]

# spec: Endpoints. `POST /shard` and `POST /xorb/*`, and every route that begins so, below any prefix.
_WRITTEN_TO: Final = re.compile("/(?:SHARD|XORB)")
_SAFE: Final = frozenset(("GET", "HEAD", "OPTIONS"))


@dataclass(frozen=True)
class WriteRule:
    """A route that needs `write` in addition to the built-in ones.

    `methods`: a list, or `unsafe` for all methods except GET, HEAD and OPTIONS. `path`: a pattern such as
    `/v1/locks/*`, where `*` is one segment and `**` at the end is any number of segments. Case is ignored.
    """

    methods: Literal["unsafe"] | Sequence[str]
    path: str


@dataclass(frozen=True)
class ScopeRules:
    """Which scope a request needs. `write` lists further routes that need `write`.

    `relax_other_methods` allows a read token to use PUT, PATCH, DELETE and other methods outside of shards and xorbs.
    `every_unsafe_method_writes` requires `write` for all methods except GET, HEAD and OPTIONS, on every path. You
    cannot combine the two.
    """

    write: Sequence[WriteRule] = ()
    relax_other_methods: bool = False
    every_unsafe_method_writes: bool = False


ScopeWanted = Callable[[str, str], Scope]


def is_write_rule(rule: WriteRule) -> bool:
    """Whether a rule can match anything: a path in its normal form, with stars for whole segments."""
    fixed = re.sub(r"(?<=/)\*\*\Z", "x", rule.path)
    fixed = re.sub(r"(?<=/)\*(?=/|\Z)", "x", fixed)
    return is_normal_path(fixed) and "*" not in fixed


def scope_rules(rules: ScopeRules = ScopeRules()) -> ScopeWanted:
    """The scope that a method and a normal path, below its prefix, want."""
    rows = [_row_of(rule) for rule in rules.write]

    def wanted(method: str, path: str) -> Scope:
        if any(matches(method, path) for matches in rows):
            return "write"
        if method in _SAFE:
            return "read"
        if rules.every_unsafe_method_writes:
            return "write"
        # POST elsewhere reads: clients send telemetry and questions that way.
        needs_word = method == "POST" or rules.relax_other_methods
        return "write" if not needs_word or _names_shard_or_xorb(path) else "read"

    return wanted


def scope_covers(held: Scope, wanted: Scope) -> bool:
    return held == "write" or wanted == "read"


def _names_shard_or_xorb(path: str) -> bool:
    """Folded as a whole, so that a character whose compatibility form is a slash begins a segment too."""
    return _WRITTEN_TO.search(fold(path)) is not None


def fold(text: str) -> str:
    """One spelling for all that a router may take for the same.

    Upper case, also of letters beyond ASCII, and no dots or blanks at the end. Decomposed, because a
    composed letter would hide the beginning of a word.
    """
    decoded = (decode_path(text) or text) if "%" in text else text
    if not decoded.isascii():
        decoded = unicodedata.normalize("NFKD", decoded.translate(LATER_UNICODE))
    return decoded.rstrip(". ").upper()


def _row_of(rule: WriteRule) -> Callable[[str, str], bool]:
    wanted = [fold(part) for part in rule.path[1:].split("/")]
    is_open = wanted[-1] == "**"
    fixed = wanted[:-1] if is_open else wanted
    concerns = _concerns(rule.methods)

    def matches(method: str, path: str) -> bool:
        if not concerns(method):
            return False
        segments = [fold(part) for part in path[1:].split("/")]
        if len(segments) < len(fixed) or (len(segments) > len(fixed) and not is_open):
            return False
        return all(part in ("*", segment) for part, segment in zip(fixed, segments))

    return matches


def _concerns(methods: Literal["unsafe"] | Sequence[str]) -> Callable[[str], bool]:
    if methods == "unsafe":
        return lambda method: method not in _SAFE
    wanted = frozenset(method.upper() for method in methods)
    return lambda method: method.upper() in wanted

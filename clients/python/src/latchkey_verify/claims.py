"""What a storage token says; only the one text that writes a claim set is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard, cast

from .javascript import compact_json, parse_object
from .scope_rules import Scope

LARGEST_NUMBER: Final = 2**53 - 1
_MAX_SEEN_REFS: Final = 8
_REPO_TYPES: Final = ("model", "dataset", "space")
_SCOPES: Final = ("read", "write")


@dataclass(frozen=True)
class SeenRef:
    """An inherited ref. The token reads content that was written under `uid` with a sequence number below `before`."""

    uid: str
    #: A number of the hub's journal.
    before: int


@dataclass(frozen=True)
class Claims:
    iss: str
    aud: str
    sub: str
    client_id: str
    scope: Scope
    repo_type: str
    repo_id: str
    repo_uid: str
    ref_name: str
    ref_uid: str
    commit: str
    as_of: int
    sees: tuple[SeenRef, ...]
    iat: int
    exp: int
    jti: str


def parse_claims(text: str) -> Claims | None:
    """None unless the text is exactly what a hub writes."""
    value = parse_object(text)
    if value is None:
        return None
    claims = _claims_in(value)
    return claims if claims is not None and _written(claims) == text else None


def _claims_in(value: Mapping[str, object]) -> Claims | None:
    repo, ref, sees = value.get("repo"), value.get("ref"), value.get("sees")
    if not isinstance(repo, dict) or not isinstance(ref, dict) or not isinstance(sees, list):
        return None
    texts = [value.get(name) for name in ("iss", "aud", "sub", "client_id", "commit", "jti")]
    texts += [repo.get("id"), repo.get("uid"), ref.get("name"), ref.get("uid")]
    numbers = [value.get(name) for name in ("as_of", "iat", "exp")]
    scope, repo_type = value.get("scope"), repo.get("type")
    seen = _seen_in(sees)
    if not all(map(is_text, texts)) or not all(map(is_whole_number, numbers)) or seen is None:
        return None
    if scope not in _SCOPES or repo_type not in _REPO_TYPES:
        return None
    iss, aud, sub, client_id, commit, jti, repo_id, repo_uid, name, uid = cast("list[str]", texts)
    as_of, iat, exp = cast("list[int]", numbers)
    return Claims(
        *(iss, aud, sub, client_id, scope),
        *(repo_type, repo_id, repo_uid, name, uid, commit),
        *(as_of, seen, iat, exp, jti),
    )


def _seen_in(sees: list[object]) -> tuple[SeenRef, ...] | None:
    if len(sees) > _MAX_SEEN_REFS:
        return None
    found = []
    for seen in sees:
        if not isinstance(seen, dict):
            return None
        uid, before = seen.get("uid"), seen.get("before")
        if not is_text(uid) or not is_whole_number(before):
            return None
        found.append(SeenRef(uid, before))
    return tuple(found)


def is_text(value: object) -> TypeGuard[str]:
    return type(value) is str and value != ""


def is_whole_number(value: object) -> TypeGuard[int]:
    """`True` is an `int` to `isinstance`, and no number in JSON."""
    return type(value) is int and 0 <= value <= LARGEST_NUMBER


def _written(claims: Claims) -> str:
    """Fixed members in a fixed order, nothing else."""
    return compact_json(
        {
            "iss": claims.iss,
            "aud": claims.aud,
            "sub": claims.sub,
            "client_id": claims.client_id,
            "scope": claims.scope,
            "repo": {"type": claims.repo_type, "id": claims.repo_id, "uid": claims.repo_uid},
            "ref": {"name": claims.ref_name, "uid": claims.ref_uid},
            "commit": claims.commit,
            "as_of": claims.as_of,
            "sees": [{"uid": seen.uid, "before": seen.before} for seen in claims.sees],
            "iat": claims.iat,
            "exp": claims.exp,
            "jti": claims.jti,
        }
    )

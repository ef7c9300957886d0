"""What a verified storage token allows."""

from __future__ import annotations

from dataclasses import dataclass

from .claims import Claims, SeenRef
from .scope_rules import Scope


@dataclass(frozen=True, eq=False)
class Grant:
    """What a verified token allows. Two grants are equal only if they are one object."""

    scope: Scope
    #: The readable name, `models/acme/bert`. A new repository with the same name has another uid.
    repository: str
    repository_uid: str
    #: `acme` of `models/acme/bert`.
    namespace: str
    #: A full ref name or a commit hash.
    ref: str
    #: Never reused. Content that the token writes belongs to it.
    ref_uid: str
    #: `ref_uid` and the uids of the inherited refs.
    ref_uids: tuple[str, ...]
    #: The commit of the revision when the token was issued.
    commit: str
    #: The last number of the hub's journal that the hub's decision includes.
    as_of: int
    #: The inherited refs: other refs of the repository whose older content belongs to this revision.
    sees: tuple[SeenRef, ...]
    #: The id of the account, or `anonymous`.
    subject: str
    #: The id of the hub token that requested this token.
    hub_token: str
    token_id: str
    kid: str
    issued_at: int
    expires_at: int


def grant_of(claims: Claims, kid: str) -> Grant:
    return Grant(
        scope=claims.scope,
        repository=f"{claims.repo_type}s/{claims.repo_id}",
        repository_uid=claims.repo_uid,
        namespace=claims.repo_id.split("/", 1)[0],
        ref=claims.ref_name,
        ref_uid=claims.ref_uid,
        ref_uids=(claims.ref_uid, *(seen.uid for seen in claims.sees)),
        commit=claims.commit,
        as_of=claims.as_of,
        sees=claims.sees,
        subject=claims.sub,
        hub_token=claims.client_id,
        token_id=claims.jti,
        kid=kid,
        issued_at=claims.iat,
        expires_at=claims.exp,
    )

"""What a verified storage token allows."""

from __future__ import annotations

from dataclasses import dataclass

from .claims import Claims, SeenRef
from .scope_rules import Scope


@dataclass(frozen=True, eq=False)
class Grant:
    """One verified token: two of them are the same only if they are one object."""

    scope: Scope
    #: As people write it: `models/acme/bert`. A repository made again has the same name and another uid.
    repository: str
    repository_uid: str
    #: The name alone: `acme` of `models/acme/bert`.
    namespace: str
    #: A full ref name or a commit hash.
    ref: str
    ref_uid: str
    #: Its own ref and every other one that it sees.
    ref_uids: tuple[str, ...]
    #: The commit that the revision named when the token was issued.
    commit: str
    #: The last entry of the hub's journal that certainly counted.
    as_of: int
    #: Other refs whose content belongs to this revision, each as far as its stamp is below a journal number.
    sees: tuple[SeenRef, ...]
    #: The account that asked, or `anonymous`.
    subject: str
    #: The id of the hub token that asked.
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

"""Does this grant cover this request?"""

from __future__ import annotations

from .grant import Grant
from .place import Place
from .refusal import Refusal
from .scope_rules import Scope, scope_covers


def authorise(grant: Grant, wanted: Scope, place: Place | None) -> Place | Refusal:
    """spec: Authentication 3 and 5. The place it opens, when it does."""
    if not scope_covers(grant.scope, wanted):
        return Refusal(
            "insufficient_scope",
            "This storage token may only read. Ask the hub for a write token.",
            missing="write",
        )
    if place is None:
        return Refusal(
            "not_found",
            "The path names no repository and ref. Build it from casUrl as the hub gave it.",
        )
    if place.repository_uid is not None and place.repository_uid != grant.repository_uid:
        return Refusal(
            "repository_mismatch",
            f"This storage token is for {grant.repository} only. Ask the hub for one of the other repository, "
            "and use it at its own casUrl.",
        )
    if place.ref_uid is not None and place.ref_uid != grant.ref_uid:
        return Refusal(
            "ref_mismatch",
            f"This storage token is for {grant.repository}@{grant.ref} only. Ask the hub for one of the other "
            "ref, and use it at its own casUrl.",
        )
    return place

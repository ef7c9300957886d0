"""Verifies storage tokens of a Latchkey hub, for storages written in Python."""

from .claims import SeenRef
from .gate import Admission, CheckResult, Gate, Rejection
from .grant import Grant
from .hub_keys import KeySource
from .key_set import KeySet, VerifyingKey, read_key_set
from .options import Options
from .place import Isolation, Locate, Location
from .refusal import CannotStart, Refusal, RefusalCode
from .request import ReadRequest, Request
from .revocation_check import WhenStale
from .revocation_source import RevocationSource, Snapshot, no_revocations
from .scope_rules import Scope, ScopeRules, WriteRule
from .visibility import Row, row_for, visible

__all__ = [
    "Admission",
    "CannotStart",
    "CheckResult",
    "Gate",
    "Grant",
    "Isolation",
    "KeySet",
    "KeySource",
    "Locate",
    "Location",
    "Options",
    "ReadRequest",
    "Refusal",
    "RefusalCode",
    "Rejection",
    "Request",
    "RevocationSource",
    "Row",
    "Scope",
    "ScopeRules",
    "SeenRef",
    "Snapshot",
    "VerifyingKey",
    "WhenStale",
    "WriteRule",
    "no_revocations",
    "read_key_set",
    "row_for",
    "visible",
]

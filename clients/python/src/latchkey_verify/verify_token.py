"""A token becomes the claim set it was signed over, or the reason why it is not one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from .claims import Claims, parse_claims
from .jws import Jws, read_jws, signer_of
from .key_set import KeySet

InvalidToken = Literal[
    "malformed",
    "unknown_key",
    "forged",
    "wrong_issuer",
    "wrong_audience",
    "not_yet_issued",
    "lives_too_long",
    "expired",
]

LONGEST_TOKEN: Final = 4096
_TOKEN_TYPE: Final = "at+jwt"
_MAX_LIFE_SECONDS: Final = 24 * 3600


@dataclass(frozen=True)
class Expectation:
    issuer: str
    audience: str
    leeway_seconds: int = 30


@dataclass(frozen=True)
class Verified:
    claims: Claims
    kid: str


def verify_token(
    token: str, keys: KeySet, expected: Expectation, now: int
) -> Verified | InvalidToken:
    """`now` is in whole seconds. Nothing of the token is believed before its signature."""
    parts = _read_parts(token)
    if parts is None:
        return "malformed"
    jws, claims = parts
    key = signer_of(jws, keys)
    if isinstance(key, str):
        return key
    return _contradiction(claims, expected, now) or Verified(claims, key.kid)


def _read_parts(token: str) -> tuple[Jws, Claims] | None:
    """The shape alone, which leaves one spelling for every token."""
    jws = read_jws(token, LONGEST_TOKEN)
    if jws is None or jws.typ != _TOKEN_TYPE:
        return None
    claims = parse_claims(jws.payload)
    return None if claims is None else (jws, claims)


def _contradiction(claims: Claims, expected: Expectation, now: int) -> InvalidToken | None:
    if claims.iss != expected.issuer:
        return "wrong_issuer"
    if claims.aud != expected.audience:
        return "wrong_audience"
    if claims.iat > now + expected.leeway_seconds:
        return "not_yet_issued"
    if claims.exp - claims.iat > _MAX_LIFE_SECONDS:
        return "lives_too_long"
    return "expired" if claims.exp + expected.leeway_seconds <= now else None

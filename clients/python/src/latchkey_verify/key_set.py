"""The public keys that a verifier trusts. A key owns its algorithm; a token never chooses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from . import base64url
from .javascript import compact_json

Algorithm = Literal["ES256", "EdDSA"]

SIGNATURE_BYTES: Final = 64
_HALF: Final = 32

_ECDSA: Final = ec.ECDSA(hashes.SHA256())
_P256_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True)
class VerifyingKey:
    """A public key of the hub."""

    kid: str
    alg: Algorithm
    public_key: ec.EllipticCurvePublicKey | Ed25519PublicKey

    def has_signed(self, data: bytes, signature: bytes) -> bool:
        """Raw signatures of 64 bytes: for ES256 that is r and s, not DER."""
        if len(signature) != SIGNATURE_BYTES:
            return False
        try:
            if isinstance(self.public_key, Ed25519PublicKey):
                self.public_key.verify(signature, data)
                return True
            r = int.from_bytes(signature[:_HALF], "big")
            s = int.from_bytes(signature[_HALF:], "big")
            if not (0 < r < _P256_ORDER and 0 < s < _P256_ORDER):
                return False
            self.public_key.verify(encode_dss_signature(r, s), data, _ECDSA)
            return True
        except (InvalidSignature, ValueError):
            return False


#: The keys of a hub by their `kid`.
KeySet = Mapping[str, VerifyingKey]


def read_key_set(document: object) -> KeySet:
    """Keeps the keys whose algorithm and curve are ours and whose `kid` is their own thumbprint."""
    keys = document.get("keys") if isinstance(document, dict) else None
    found = (_read_key(jwk) for jwk in keys) if isinstance(keys, list) else ()
    return {key.kid: key for key in found if key is not None}


def _read_key(jwk: object) -> VerifyingKey | None:
    """Nothing about the key is known yet: whatever cannot be read is no key."""
    # Whoever published a private key has no secret left to sign with.
    if not isinstance(jwk, dict) or "d" in jwk:
        return None
    try:
        if (jwk.get("alg"), jwk.get("kty"), jwk.get("crv")) == ("ES256", "EC", "P-256"):
            return _es256(jwk)
        if (jwk.get("alg"), jwk.get("kty"), jwk.get("crv")) == ("EdDSA", "OKP", "Ed25519"):
            return _eddsa(jwk)
    except ValueError:
        pass
    return None


def _es256(jwk: Mapping[str, object]) -> VerifyingKey | None:
    x, y = _coordinate(jwk.get("x")), _coordinate(jwk.get("y"))
    numbers = ec.EllipticCurvePublicNumbers(
        int.from_bytes(x, "big"), int.from_bytes(y, "big"), ec.SECP256R1()
    )
    kid = _thumbprint(jwk, "crv", "kty", "x", "y")
    return VerifyingKey(kid, "ES256", numbers.public_key()) if jwk.get("kid") == kid else None


def _eddsa(jwk: Mapping[str, object]) -> VerifyingKey | None:
    public_key = Ed25519PublicKey.from_public_bytes(_coordinate(jwk.get("x")))
    kid = _thumbprint(jwk, "crv", "kty", "x")
    return VerifyingKey(kid, "EdDSA", public_key) if jwk.get("kid") == kid else None


def _coordinate(value: object) -> bytes:
    data = base64url.decode(value) if isinstance(value, str) else None
    if data is None or len(data) != _HALF:
        raise ValueError("no coordinate")
    return data


def _thumbprint(jwk: Mapping[str, object], *members: str) -> str:
    """RFC 7638."""
    text = compact_json({name: jwk[name] for name in members})
    return base64url.encode(hashlib.sha256(text.encode()).digest())

"""Verifies a storage token: steps 3 to 8 of docs/guides/write-a-verifier.md, on PyJWT and cryptography."""

import base64
import hashlib
import json
import re
import sys

import jwt

LONGEST_TOKEN = 4096
LONGEST_LIFE = 24 * 3600
HEADER = re.compile(r'\{"alg":"(\w+)","kid":"([\w-]{43})","typ":"at\+jwt"\}', re.ASCII)
SIGNATURES = jwt.PyJWS(algorithms=["ES256", "EdDSA"])

# What a key is made of (RFC 7638), by its algorithm, curve and family.
KEY_MEMBERS = {
    ("ES256", "P-256", "EC"): ("crv", "kty", "x", "y"),
    ("EdDSA", "Ed25519", "OKP"): ("crv", "kty", "x"),
}


class Refused(Exception):
    """Why not, as one word."""


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def read_key(jwk):
    """One published key: its kid, its algorithm and the key itself; an error for any other."""
    alg = jwk["alg"]
    members = KEY_MEMBERS[alg, jwk["crv"], jwk["kty"]]
    digest = hashlib.sha256(compact({name: jwk[name] for name in members})).digest()
    if "d" in jwk or jwk["kid"] != base64.urlsafe_b64encode(digest).decode().rstrip("="):
        raise ValueError("a private key, or a kid that is not the key's thumbprint")
    return jwk["kid"], (alg, jwt.PyJWK(jwk, alg).key)


def read_keys(jwks):
    """The algorithm and key of every kid; what cannot be read is no key."""
    keys = {}
    for jwk in jwks["keys"]:
        try:
            kid, key = read_key(jwk)
        except (LookupError, TypeError, ValueError, jwt.PyJWTError):
            continue
        keys[kid] = key
    return keys


def text(value):
    return type(value) is str and value != ""


def moment(value):
    return type(value) is int and 0 <= value < 2**53


CLAIMS = {
    **{"iss": text, "aud": text, "sub": text, "client_id": text},
    "scope": ("read", "write").__contains__,
    "repo": {"type": ("model", "dataset", "space").__contains__, "id": text, "uid": text},
    "ref": {"name": text, "uid": text},
    "commit": text,
    "as_of": moment,
    "sees": [{"uid": text, "before": moment}],
    **{"iat": moment, "exp": moment, "jti": text},
}


def fits(value, shape):
    """Every member in its place and of its type, and no other."""
    if isinstance(shape, list):
        return type(value) is list and len(value) <= 8 and all(fits(one, shape[0]) for one in value)
    if isinstance(shape, dict):
        has_members = type(value) is dict and list(value) == list(shape)
        return has_members and all(fits(value[name], shape[name]) for name in shape)
    return shape(value)


def decode(segment):
    data = base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))
    if base64.urlsafe_b64encode(data).decode().rstrip("=") != segment:
        raise ValueError("another spelling of the same bytes")
    return data


def read_parts(token):
    """Nothing verified yet: the shape alone, which leaves one spelling for every token."""
    if len(token) > LONGEST_TOKEN or token.count(".") != 2:
        raise Refused("malformed")
    try:
        header, payload, signature = map(decode, token.split("."))
        head, claims = HEADER.fullmatch(header.decode()), json.loads(payload.decode())
        is_canonical = fits(claims, CLAIMS) and compact(claims) == payload
    except (ValueError, RecursionError):
        raise Refused("malformed") from None
    if head is None or len(signature) != 64 or not is_canonical:
        raise Refused("malformed")
    return head[1], head[2], claims


def verify_token(token, *, keys, issuer, audience, now, leeway=30):
    """The claims of a valid token; `keys` come from read_keys, `now` is in whole seconds."""
    named_alg, kid, claims = read_parts(token)
    if kid not in keys:
        raise Refused("unknown_key")
    alg, key = keys[kid]
    if named_alg != alg:
        raise Refused("malformed")
    try:
        SIGNATURES.decode(token, key, algorithms=[alg])
    except jwt.PyJWTError:
        raise Refused("forged") from None
    if claims["iss"] != issuer:
        raise Refused("wrong_issuer")
    if claims["aud"] != audience:
        raise Refused("wrong_audience")
    if claims["iat"] > now + leeway:
        raise Refused("not_yet_issued")
    if claims["exp"] - claims["iat"] > LONGEST_LIFE:
        raise Refused("lives_too_long")
    if claims["exp"] + leeway <= now:
        raise Refused("expired")
    return claims


if __name__ == "__main__":
    from run_vectors import main

    sys.exit(main(sys.argv[1:]))

"""Reads lists of cut-offs and their signed heads: step 9 of docs/guides/write-a-verifier.md, for one document each."""

import base64
import hashlib
import json
import re

import jwt

from verify import SIGNATURES, Refused, compact, decode

LONGEST_HEAD = 4096
LONGEST_LIFE = 60
A_DAY_MS = 24 * 3600 * 1000
FOR_EVER = 2**53 - 1
FINAL_FROM = 2**52
ENTRY_LIFE = 24 * 3600 + 60 + 3600
HEAD_HEADER = re.compile(
    r'\{"alg":"(\w+)","kid":"([\w-]{43})","typ":"latchkey-revocations\+jwt"\}', re.ASCII
)
LIST_NAME = re.compile(r"[\w-]{43}", re.ASCII)


def encode(digest):
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def cut_off_hash(kind, id):
    return encode(hashlib.sha256(f"{kind}:{id}".encode()).digest())


def list_hash(data):
    return encode(hashlib.sha256(data).digest())


def read_list(data):
    """The number of every hash; refused unless each entry has 40 bytes and comes after the one before."""
    if len(data) % 40 != 0:
        raise Refused("list")
    entries, last = {}, None
    for at in range(0, len(data), 40):
        digest, number = data[at : at + 32], int.from_bytes(data[at + 32 : at + 40], "big")
        if number >= 2**53 or (last is not None and digest <= last):
            raise Refused("list")
        entries[encode(digest)], last = number, digest
    return entries


def is_over(number, at):
    """Whether no token is alive any more that this entry could end; that of a key never is over."""
    made = number - FINAL_FROM if number >= FINAL_FROM else number
    return number != FOR_EVER and -(-made // 1000) + ENTRY_LIFE <= at


def whole(value):
    return type(value) is int and 0 <= value < 2**53


def read_claims(payload):
    """Fixed members in a fixed order, written in one way."""
    head = json.loads(payload.decode())
    if type(head) is not dict or list(head) != ["iss", "seq", "list", "iat", "exp"]:
        raise Refused("malformed")
    iss, seq, name, iat, exp = head.values()
    has_types = type(iss) is str and type(name) is str and LIST_NAME.fullmatch(name)
    if not has_types or not all(map(whole, (seq, iat, exp))) or compact(head) != payload:
        raise Refused("malformed")
    if not 0 < exp - iat <= LONGEST_LIFE:
        raise Refused("malformed")
    return head


def read_head(text, *, keys, issuer):
    """The claims and the kid of a head that a key of heads has signed; `keys` are never those of tokens."""
    if len(text) > LONGEST_HEAD or text.count(".") != 2:
        raise Refused("malformed")
    try:
        header, payload, signature = map(decode, text.split("."))
        named = HEAD_HEADER.fullmatch(header.decode())
        head = read_claims(payload)
    except (ValueError, RecursionError):
        raise Refused("malformed") from None
    if named is None or len(signature) != 64:
        raise Refused("malformed")
    kid = named[2]
    if kid not in keys:
        raise Refused("unknown_key")
    alg, key = keys[kid]
    if named[1] != alg:
        raise Refused("malformed")
    try:
        SIGNATURES.decode(text, key, algorithms=[alg])
    except jwt.PyJWTError:
        raise Refused("forged") from None
    if head["iss"] != issuer:
        raise Refused("wrong_issuer")
    return head, kid


def refuse_now(head, now, leeway):
    """A head that does not count at this moment; no leeway for its end."""
    if head["iat"] > now + leeway:
        raise Refused("not_yet_issued")
    if head["exp"] <= now:
        raise Refused("expired")
    if head["seq"] > now * 1000 + A_DAY_MS:
        raise Refused("too_far_ahead")


def places_of(claims, kid):
    """Everything that a token names and a cut-off can be about."""
    account, repo = claims["sub"], claims["repo"]
    yield "all", ""
    yield "key", kid
    yield "token", claims["jti"]
    yield "hub-token", claims["client_id"]
    yield "account", account
    yield "account+repository", f"{account}/{repo['uid']}"
    namespace = repo["id"].split("/")[0]
    yield "account+namespace", f"{account}/{namespace}"
    yield "namespace", namespace
    yield "repository", repo["uid"]
    for uid in (claims["ref"]["uid"], *(seen["uid"] for seen in claims["sees"])):
        # The ending says that nothing written under the tag or commit is opened; cut-offs do not have it.
        yield "ref", uid.removesuffix(".part")


def is_dead(claims, kid, entries):
    """Whether a cut-off ends the token: one for ever, or one whose number is above the token's `as_of`."""
    numbers = [entries.get(cut_off_hash(*place), 0) for place in places_of(claims, kid)]
    return any(number == FOR_EVER or number > claims["as_of"] for number in numbers)

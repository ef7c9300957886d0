"""The compact form of a signed document (RFC 7515): one spelling each, checked before anything is believed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from . import base64url
from .key_set import SIGNATURE_BYTES, KeySet, VerifyingKey

SignatureFault = Literal["malformed", "unknown_key", "forged"]

_HEADER: Final = re.compile(
    r'\{"alg":"(\w+)","kid":"([\w-]{43})","typ":"([a-z+-]+)"\}', re.ASCII
)


@dataclass(frozen=True)
class Jws:
    """Nothing verified yet."""

    alg: str
    kid: str
    typ: str
    payload: str
    signed: bytes = field(repr=False)
    signature: bytes = field(repr=False)


def read_jws(text: str, longest: int) -> Jws | None:
    """None unless the three parts are spelt as our own signers spell them."""
    if len(text) > longest or text.count(".") != 2:
        return None
    header, payload, signature = text.split(".")
    signature_bytes = base64url.decode(signature)
    if signature_bytes is None or len(signature_bytes) != SIGNATURE_BYTES:
        return None
    head = _HEADER.fullmatch(_text_of(header) or "")
    said = _text_of(payload)
    if head is None or said is None:
        return None
    signed = f"{header}.{payload}".encode("ascii")
    return Jws(head[1], head[2], head[3], said, signed, signature_bytes)


def signer_of(jws: Jws, keys: KeySet) -> VerifyingKey | SignatureFault:
    """The trusted key that has signed it, or why there is none."""
    key = keys.get(jws.kid)
    if key is None:
        return "unknown_key"
    if jws.alg != key.alg:
        return "malformed"
    return key if key.has_signed(jws.signed, jws.signature) else "forged"


def _text_of(segment: str) -> str | None:
    """Bytes that are no text could be read as replacement characters, and so two spellings as one."""
    data = base64url.decode(segment)
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return None

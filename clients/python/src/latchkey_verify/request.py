"""A storage request, and the parts of it that are checked, read once; what could be read in two ways is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from .header_rules import names_identity, refuse_header
from .query_rules import names_method
from .refusal import Refusal
from .storage_path import is_normal_path

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Request:
    """A storage request exactly as received. Each character of a text is one byte (latin-1)."""

    method: str
    #: Path and query, or the absolute form; never repaired, never decoded.
    target: str = field(repr=False)
    #: Names and values, repeated headers repeated.
    headers: Headers = field(repr=False)
    #: Where forged tokens are counted; leave it out where it is not known.
    address: str | None = None


@dataclass(frozen=True)
class ReadRequest:
    """A request in the form that the gate checks. Only requests in normal form have one."""

    method: str
    path: str
    #: With its question mark, or empty.
    query: str = field(repr=False)
    #: Every Authorization header.
    authorization: Sequence[str] = field(repr=False)
    headers: Headers = field(repr=False)
    address: str | None


PATH_EXPECTED: Final = (
    'The path must be in its normal form: no empty, "." or ".." segments, no trailing slash, no encoded letters, '
    'digits, slashes or dots, no ";" and nothing but ASCII. Send it as the storage documents it.'
)
_METHOD_IN_QUERY: Final = (
    "A _method parameter in the query, which names another method than the request, is not accepted. Leave it out."
)
_LENGTH_UNCLEAR: Final = (
    "The length of the body is given twice or cannot be read. Give it once."
)
_IDENTITY_TRAILER: Final = "Trailers that begin with Latchkey- are set by nobody. Leave them out."

# Anything but a fragment, a space, a control or a byte outside of ASCII.
_READABLE_QUERY: Final = re.compile(r"[\x21\x22\x24-\x7e]*")
_ABSOLUTE: Final = re.compile(r"https?://([^/?#]*)(/.*)", re.IGNORECASE | re.ASCII | re.DOTALL)
_LENGTH: Final = re.compile(r"chunked|[0-9]{1,15}")
_ZEROS: Final = re.compile(r"0+")


def read_request(request: Request, authority: str) -> ReadRequest | Refusal:
    """`authority` is the storage's own host and port: the absolute form may name no other."""
    target = _read_target(request.target, authority)
    if target is None:
        return Refusal("bad_request", PATH_EXPECTED)
    path, query = target
    if names_method(query):
        return Refusal("bad_request", _METHOD_IN_QUERY)
    authorization = _read_headers(request.method, request.headers)
    if isinstance(authorization, Refusal):
        return authorization
    return ReadRequest(
        request.method, path, query, authorization, request.headers, request.address
    )


def _read_target(target: str, authority: str) -> tuple[str, str] | None:
    own = target if target.startswith("/") else _without_authority(target, authority)
    if own is None:
        return None
    path, mark, rest = own.partition("?")
    query = mark + rest
    is_readable = is_normal_path(path) and _READABLE_QUERY.fullmatch(query)
    return (path, query) if is_readable else None


def _without_authority(target: str, authority: str) -> str | None:
    """RFC 9112 §3.2.2: the absolute form, which overrides Host."""
    found = _ABSOLUTE.fullmatch(target)
    return found[2] if found is not None and found[1].lower() == authority else None


def own_path(target: str) -> str:
    """The path of a target that was checked: what is left of the absolute form without its authority."""
    path = target.partition("?")[0]
    return path if path.startswith("/") else "/" + path.split("/", 3)[3]


def _read_headers(method: str, headers: Iterable[tuple[str, str]]) -> list[str] | Refusal:
    """The values of Authorization."""
    authorization: list[str] = []
    framing: list[str] = []
    for name, value in headers:
        refusal = refuse_header(name)
        if refusal is not None:
            return refusal
        known = name.lower()
        if known == "authorization":
            authorization.append(value)
        elif known == "content-length":
            framing.append(value)
        elif known == "transfer-encoding":
            # Any other coding would be lost on the way, and a number here is no length.
            framing.append("chunked" if value.lower() == "chunked" else "unknown")
        elif known == "trailer" and names_identity(value):
            return Refusal("bad_request", _IDENTITY_TRAILER)
    return _refuse_framing(framing, method) or authorization


def _refuse_framing(framing: Sequence[str], method: str) -> Refusal | None:
    """RFC 9112 §6.3: one length, or none and chunks."""
    if not framing:
        return None
    if len(framing) > 1 or _LENGTH.fullmatch(framing[0]) is None:
        return Refusal("bad_request", _LENGTH_UNCLEAR)
    if _ZEROS.fullmatch(framing[0]) or method not in ("GET", "HEAD"):
        return None
    return Refusal("bad_request", f"A {method} request has no body here. Leave it out.")

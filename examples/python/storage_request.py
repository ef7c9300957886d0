"""Judges a storage request: steps 1 and 9 to 11 of docs/guides/write-a-verifier.md around those of verify.py."""

import re
import unicodedata
from functools import cache
from urllib.parse import unquote

from revocations import is_dead
from verify import Refused, read_parts, verify_token

PLAIN = r"[A-Za-z0-9._~!$&'()*+,=:@-]"
ENCODED = r"%(?:2[0-246-9A-C]|3[AC-E]|40|5[BDE]|60|7[B-D]|[89A-F][0-9A-F])"
SEGMENT = rf"(?!\.{{0,2}}(?:/|\Z)){PLAIN}*(?:{ENCODED}{PLAIN}*)*"
NORMAL = re.compile(rf"/(?:{SEGMENT}(?:/{SEGMENT})*)?", re.IGNORECASE | re.ASCII)

WRITTEN_TO = re.compile("/(?:SHARD|XORB)")

# The hub gives a ref another address when content was removed: its uid, a hyphen and a number.
EPOCH = re.compile(r"-[1-9][0-9]{0,14}\Z")


def is_normal(path):
    """Whether every router reads this raw path alike."""
    try:
        text = unquote(path, errors="strict")
    except UnicodeDecodeError:
        return False
    return NORMAL.fullmatch(path) is not None and not re.search("[\\x80-\\x9f]", text)


def fold(path):
    """One spelling for all that some router takes for the same."""
    return unicodedata.normalize("NFKD", unquote(path)).upper()


def wants(method, path):
    """The scope that a request with a normal path needs, below its prefix."""
    if method in ("GET", "HEAD", "OPTIONS"):
        return "read"
    return "write" if method != "POST" or WRITTEN_TO.search(fold(path)) else "read"


@cache
def prefix_of(cas_url):
    path = re.escape(re.sub(r"^https?://[^/]+", "", cas_url))
    path = path.replace(r"\{repo\}", "(?P<repo>[^/]+)").replace(r"\{ref\}", "(?P<ref>[^/]+)")
    return re.compile(path + r"(?=/|\Z)")


def check(method, path, token, *, cas_url, entries, **trust):
    """The claims of a token that covers this request, and the path that the storage serves.

    `cas_url` is the hub's, with {repo} and {ref}; `token` is the bearer of the one Authorization
    header, or None; `path` is as it came, without the query; `entries` come from HubRevocations,
    and are None without news of the hub.
    """
    if not is_normal(path):
        raise Refused("bad_request")
    place = prefix_of(cas_url).match(path)
    below = path if place is None else path[place.end() :] or "/"
    if token is None:
        raise Refused("storage_token_missing")
    try:
        claims = verify_token(token, audience=cas_url.split("/{")[0], **trust)
    except Refused:
        raise Refused("storage_token_invalid") from None
    if entries is None:
        raise Refused("gate_not_ready")
    if is_dead(claims, read_parts(token)[1], entries):
        raise Refused("storage_token_invalid")
    if wants(method, below) == "write" and claims["scope"] != "write":
        raise Refused("insufficient_scope")
    if place is None:
        raise Refused("not_found")
    if place["repo"] != claims["repo"]["uid"]:
        raise Refused("repository_mismatch")
    if EPOCH.sub("", place["ref"]) != claims["ref"]["uid"]:
        raise Refused("ref_mismatch")
    return claims, below

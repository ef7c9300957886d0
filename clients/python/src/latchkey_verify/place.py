"""What a storage request addresses: by the prefix that `casUrl` gives it, or by a rule of the storage's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from .refusal import CannotStart
from .request import ReadRequest
from .service_url import parse_cas_url
from .storage_path import is_normal_path

#: `upstream`: the storage tells repositories apart by the grant. `none`: there is one tenant.
Isolation = Literal["upstream", "none"]


@dataclass(frozen=True)
class Location:
    """Repository and ref that a request names, and the rest of its path if a prefix named them."""

    repository_uid: str
    ref_uid: str
    path: str | None = None


#: None when the request names no repository and ref: it is then not served.
Locate = Callable[[ReadRequest], "Location | None"]


@dataclass(frozen=True)
class Place:
    """Where a request leads. Without uids nothing is compared, because the operator said who isolates."""

    path: str
    #: What stood before that path in the request.
    prefix: str
    #: Every path by which the storage may route the request: the scope is what the strictest of them wants.
    checked_paths: tuple[str, ...]
    repository_uid: str | None
    ref_uid: str | None


Placing = Callable[[ReadRequest], "Place | None"]

# The hub gives a ref another address when content was removed: its uid, a hyphen and a number.
_EPOCH: Final = re.compile(r"-[1-9][0-9]{0,14}\Z")


def ref_uid_in(segment: str) -> str:
    """The uid, of whatever epoch: URLs of earlier epochs go on working. It can be empty, as in `-1`."""
    return _EPOCH.sub("", segment)


def place_by_locate(locate: Locate) -> Placing:
    def place_of(request: ReadRequest) -> Place | None:
        located = locate(request)
        # A rule that leaves one out, or answers with something else, must not open everything.
        if not isinstance(located, Location):
            return None
        if type(located.repository_uid) is not str or type(located.ref_uid) is not str:
            return None
        if located.path is None:
            paths: tuple[str, ...] = (request.path,)
        elif is_normal_path(located.path):
            paths = (located.path, _whole_path(request, located))
        else:
            return None
        return Place(paths[0], "", paths, located.repository_uid, located.ref_uid)

    return place_of


def _whole_path(request: ReadRequest, located: Location) -> str:
    """A framework routes by the whole path, whatever path `locate` gives, so the whole path is checked too.

    Only the uids themselves do not count: they are random, and the token decides which ones may stand there.
    """

    def is_uid(segment: str) -> bool:
        return segment == located.repository_uid or ref_uid_in(segment) == located.ref_uid

    return "/".join("-" if is_uid(part) else part for part in request.path.split("/"))


def place_by_prefix(cas_url: str, isolation: Isolation | None) -> Placing:
    """Reads the path of `cas_url` off a request: its fixed segments must be there, its placeholders are the uids."""
    if isolation is None and not ("{repo}" in cas_url and "{ref}" in cas_url):
        raise CannotStart(
            "nothing tells repositories and refs apart: put {repo} and {ref} into cas_url, give a locate function, "
            'or say that the storage does it (isolation "upstream") or that there is one tenant (isolation "none")'
        )
    prefix = re.compile(
        "".join(f"/{_segment_pattern(part)}" for part in parse_cas_url(cas_url).path.split("/")[1:])
        + r"(?=/|\Z)"
    )

    def place_of(request: ReadRequest) -> Place | None:
        found = prefix.match(request.path)
        if found is None:
            return None
        named = found.groupdict()
        path = request.path[found.end() :] or "/"
        ref = named.get("ref")
        ref_uid = None if ref is None else ref_uid_in(ref)
        return Place(path, found[0], (path,), named.get("repo"), ref_uid)

    return place_of


def _segment_pattern(part: str) -> str:
    if part in ("{repo}", "{ref}"):
        return f"(?P<{part[1:-1]}>[^/]+)"
    if "{" not in part and "}" not in part:
        return re.escape(part)
    raise CannotStart(
        "cas_url: {repo} and {ref} must each be a whole segment, as in https://cas.example/r/{repo}/{ref}"
    )

"""Checks a developer's options once, before the client sends a request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import Final
from urllib.parse import quote

from .error import bad_option
from .scope_rules import Scope
from .service_url import ServiceUrl, parse_service_url

_REPO: Final = re.compile(r"(?:model|dataset|space)s/([A-Za-z0-9._-]{1,96})/([A-Za-z0-9._-]{1,96})")
#: A name that looks like a token would be shown in logs as one.
_TOKEN: Final = re.compile(r"_[0-9A-Za-z]{49}|eyJ[0-9A-Za-z-]{8}")
_ODD_NAME: Final = re.compile(r"[.-].*|.*(?:[.-]|\.git)", re.IGNORECASE)


@dataclass(frozen=True)
class Options:
    """What a client works with."""

    hub: ServiceUrl
    repo: str
    revision: str
    scope: Scope | None
    refresh_buffer_seconds: float
    retry_timeout_seconds: float
    allow_plain_http: bool

    def token_path(self, scope: Scope) -> str:
        """The path of the token request, below the hub's URL."""
        # As JavaScript's encodeURIComponent.
        revision = quote(self.revision, safe="!'()*~-._")
        return f"/api/{self.repo}/storage-{scope}-token/{revision}"


def resolve_options(
    *,
    hub: object,
    repo: object,
    revision: object,
    scope: object,
    refresh_buffer_seconds: object,
    retry_timeout_seconds: object,
    allow_plain_http: object,
) -> Options:
    """Fails with `bad_option`. Takes any object, because not every caller checks its types."""
    url = parse_service_url(hub)
    if url is None:
        raise bad_option("hub", "give an http or https URL without query or credentials")
    if not isinstance(allow_plain_http, bool):
        raise bad_option("allow_plain_http", "give True or False")
    if url.is_plain_http and not allow_plain_http:
        raise bad_option("hub", "use https, or set allow_plain_http")
    if not isinstance(repo, str) or not _is_repo(repo):
        raise bad_option("repo", "give it as in models/acme/bert")
    if not isinstance(revision, str) or not _is_revision(revision):
        raise bad_option("revision", "give a branch, a tag or a commit hash")
    buffer = _seconds("refresh_buffer_seconds", refresh_buffer_seconds)
    timeout = _seconds("retry_timeout_seconds", retry_timeout_seconds)
    wanted = None if scope is None else checked_scope(scope)
    return Options(url, repo, revision, wanted, buffer, timeout, allow_plain_http)


def checked_scope(scope: object) -> Scope:
    """Fails with `bad_option` for anything but the two scopes."""
    if scope == "read":
        return "read"
    if scope == "write":
        return "write"
    raise bad_option("scope", "give read or write")


def _is_repo(repo: str) -> bool:
    found = _REPO.fullmatch(repo)
    return found is not None and not any(
        _ODD_NAME.fullmatch(name) or _TOKEN.search(name) for name in found.groups()
    )


def _is_revision(revision: str) -> bool:
    """URLs are repaired around dots, and half of a character cannot be encoded."""
    try:
        revision.encode()
    except UnicodeEncodeError:
        return False
    return revision not in ("", ".", "..")


def _seconds(name: str, value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if isfinite(value) and value >= 0:
            return float(value)
    raise bad_option(name, "give a number of seconds")

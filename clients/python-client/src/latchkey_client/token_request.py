"""One token request: sent, answered, read. A response is believed only as far as it is checked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import floor
from typing import Final

from .credential import Credential, HubTokenInUse
from .error import LatchkeyError, clean
from .options import Options
from .patience import date_of, read_retry_after
from .scope_rules import Scope
from .secret import Secret, is_bearer_token
from .service_url import ServiceUrl, parse_service_url
from .steps import Head, Moment, Send, Steps, Unreachable

#: Room for two members of 64000 characters, however they are escaped.
_MAX_RESPONSE: Final = 1024 * 1024
_DEADLINE: Final = 10.0
_MAX_MEMBER: Final = 64_000
#: Later ones are meant in milliseconds, and would never be refreshed.
_LATEST_EXP: Final = 100_000_000_000


@dataclass(frozen=True)
class StorageToken:
    """A token for the storage. It opens one repository at one revision until `exp`."""

    scope: Scope
    #: `access_token.reveal()` returns the text.
    access_token: Secret
    #: Unix time in seconds at which it expires, by the clock of the hub.
    exp: int
    #: The base URL of the storage, without a slash at its end.
    cas_url: str


@dataclass(frozen=True)
class ReceivedToken:
    """A token, and how long it is good."""

    token: StorageToken
    identity: int
    #: By the hub's own clock, counted from `since`.
    life_seconds: float
    #: Before the request was sent: the time on the way has gone from the token's life.
    since: Moment


def request_token(
    scope: Scope, options: Options, credential: Credential, now: Callable[[], Moment]
) -> Steps[ReceivedToken | LatchkeyError]:
    """Asks the hub, and asks again with another hub token if there is one."""
    while True:
        used = credential.get()
        since = now()
        path = options.token_path(scope)
        answer = yield from _ask(options.hub, path, used)
        if isinstance(answer, LatchkeyError):
            return answer
        head, text = answer
        if head.status == 401:
            credential.reject(used)
            if not used.is_new:
                continue
        if head.status >= 400:
            return read_refusal("hub", head, text, "GET", path, now().wall, [used.token])
        if not 200 <= head.status <= 299:
            message = f"{options.hub} redirects: give the hub's own address."
            return LatchkeyError("redirected", message, method="GET", path=path)
        # A token got for somebody whom the caller no longer is.
        if used.identity != credential.identity:
            continue
        at = floor(date_of(head.headers, since.wall))
        token = _read_token(text, scope, options, at)
        if isinstance(token, str):
            message = f"{options.hub} answers with no token: {token}."
            return LatchkeyError(
                "answer_invalid", message, status=head.status, method="GET", path=path
            )
        return ReceivedToken(token, used.identity, token.exp - at, since)


def _ask(
    hub: ServiceUrl, path: str, used: HubTokenInUse
) -> Steps[tuple[Head, str] | LatchkeyError]:
    headers = [("accept", "application/json")]
    send = Send(
        "GET", str(hub) + path, headers, used.token, _bounded_text, deadline_seconds=_DEADLINE
    )
    try:
        answer: tuple[Head, str] = yield send
        return answer
    except Unreachable as error:
        reason = error.reason
    reason = f" ({reason})" if reason else ""
    message = f"The hub {hub} cannot be reached{reason}."
    return LatchkeyError("hub_unreachable", message, method="GET", path=path)


def _bounded_text(head: Head, chunks: Iterator[bytes]) -> tuple[Head, str]:
    """The body as text; of one that goes on beyond the limit, nothing."""
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) > _MAX_RESPONSE:
            return head, ""
    return head, found.decode("utf-8", "replace")


def _read_token(text: str, scope: Scope, options: Options, now: int) -> StorageToken | str:
    """The token, or why there is none."""
    members = members_of(text)
    access_token = members.get("accessToken")
    if not isinstance(access_token, str) or len(access_token) > _MAX_MEMBER:
        return "accessToken is no bearer token"
    if not is_bearer_token(access_token):
        return "accessToken is no bearer token"
    exp = _whole(members.get("exp"))
    if exp is None or exp > _LATEST_EXP:
        return "exp is not in seconds"
    if exp <= now:
        return "exp is not in the future"
    cas_url = members.get("casUrl")
    url = parse_service_url(cas_url)
    if url is None or not isinstance(cas_url, str) or len(cas_url) > _MAX_MEMBER:
        return "casUrl is no URL in its normal form"
    if not options.allow_plain_http:
        if url.is_plain_http:
            return "casUrl is plain http, and allow_plain_http is not set"
        # A hub far away has no business with what listens on this machine.
        if url.is_loopback and not options.hub.is_loopback:
            return "casUrl is on this machine, the hub is not"
    return StorageToken(scope, Secret("access-token", access_token), exp, str(url))


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if value == value // 1 else None


def members_of(text: str) -> dict[str, object]:
    """None for what is no JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


_BY_STATUS: Final = {
    401: {"hub": "hub_token_invalid", "storage": "token_invalid"},
    403: {"hub": "permission_denied", "storage": "insufficient_scope"},
    404: {"hub": "not_found", "storage": "not_found"},
    429: {"hub": "rate_limited", "storage": "rate_limited"},
}


def read_refusal(
    side: str,
    head: Head,
    text: str,
    method: str,
    path: str,
    now: float,
    secrets: list[Secret | None],
) -> LatchkeyError:
    """The error of a problem document, or of anything that stands in front of the other side."""
    members = members_of(text)

    def text_of(value: object) -> str:
        return clean(value, secrets) if isinstance(value, str) else ""

    code = text_of(members.get("code"))
    if not re.fullmatch("[a-z_]{1,40}", code):
        otherwise = "internal_error" if head.status >= 500 else "bad_request"
        code = _BY_STATUS.get(head.status, {}).get(side, otherwise)
    return LatchkeyError(
        code,
        text_of(members.get("detail")) or f"The {side} answers {head.status}.",
        status=head.status,
        request_id=text_of(head.headers.get("x-request-id")) or None,
        method=method,
        path=path,
        retry_after_seconds=read_retry_after(head.headers, now),
    )

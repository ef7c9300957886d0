"""Storage tokens on requests of the library `requests`. Needs the extra `requests`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from requests import PreparedRequest, Response
from requests.auth import AuthBase
from requests.utils import rewind_body

from .authorization import Authorization
from .client import Client
from .scope_rules import Scope
from .steps import drive
from .token_request import StorageToken

__all__ = ["RequestsAuth"]


class RequestsAuth(AuthBase):
    """Sends the token of a client with each request below the storage's URL, and with no other.

    Redirects are followed without the token. A 401 is repaired once with a new token; 429 and 5xx (except 501) are
    retried for the client's `retry_timeout_seconds`. Network errors are those of `requests`, and are not retried. A
    stream can be sent only once.

    Example:

        auth = RequestsAuth(client)
        url = client.token("read").cas_url
        response = requests.get(f"{url}/v1/files/{hash}", auth=auth)
    """

    def __init__(self, client: Client, *, scope: Scope | None = None) -> None:
        """`scope`: of every token. By default that of the client, or the least one that each request needs."""
        self._client = client
        self._scope = scope

    def __call__(self, r: PreparedRequest) -> PreparedRequest:
        """Adds the token, and the hook that repairs a 401. `requests` calls it for each request."""
        token = drive(self._authorization(r).first(), self._client._runtime)
        if token is not None:
            r.headers["Authorization"] = _HeaderText(token)
            r.register_hook("response", _Hook(self))
        return r

    def _repair(self, response: Response, options: dict[str, Any]) -> Response:
        # No state is kept: a prepared request can be sent several times.
        requests = [response.request]
        header = response.request.headers.get("Authorization")
        # The token of another request, such as one that a redirect leads to, is none of ours.
        if not isinstance(header, _HeaderText):
            return response
        authorization = self._authorization(response.request)
        token: StorageToken | None = header.token
        while token is not None:
            steps = authorization.next(token, response.status_code, response.headers)
            try:
                token = drive(steps, self._client._runtime)
            except BaseException:
                response.close()
                raise
            if token is not None:
                response = _sent_again(response, token, options)
                requests.append(response.request)
        if response.is_redirect:
            for each in requests:
                each.headers.pop("Authorization", None)
        return response

    def _authorization(self, request: PreparedRequest) -> Authorization:
        method, url = request.method or "GET", request.url or ""
        return self._client._authorization(
            method, url, self._scope, is_repeatable=_is_repeatable(request)
        )


class _Hook:
    """What `requests` calls. A pickle of a request has no client."""

    def __init__(self, auth: RequestsAuth) -> None:
        self._auth = auth

    def __call__(self, response: Response, **options: Any) -> Response:
        return self._auth._repair(response, options)

    def __reduce__(self) -> tuple[object, ...]:
        return (_no_hook, ())


def _no_hook() -> Callable[..., None]:
    return _leave


def _leave(_response: Response, **_options: Any) -> None:
    """None is for `requests` the response as it is."""


class _HeaderText(str):
    """The value of the header. It prints as the kind of its token, and a pickle of it has no token."""

    token: StorageToken

    def __new__(cls, token: StorageToken) -> _HeaderText:
        made = super().__new__(cls, f"Bearer {token.access_token.reveal()}")
        made.token = token
        return made

    def __repr__(self) -> str:
        return repr(self.token.access_token)

    def __reduce__(self) -> tuple[object, ...]:
        return (str, (repr(self),))


def _sent_again(response: Response, token: StorageToken, options: dict[str, Any]) -> Response:
    # It is not read: nobody knows how long it is.
    response.close()
    request = response.request.copy()
    request.headers["Authorization"] = _HeaderText(token)
    if not isinstance(request.body, (bytes, str, type(None))):
        rewind_body(request)
    again: Response = response.connection.send(request, **options)
    again.request = request
    return again


def _is_repeatable(request: PreparedRequest) -> bool:
    return isinstance(request.body, (bytes, str, type(None))) or isinstance(
        request._body_position, int
    )

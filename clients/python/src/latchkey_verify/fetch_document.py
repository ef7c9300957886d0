"""Fetches one public document of a hub, from that hub alone and within bounds."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final

from .javascript import parse_json
from .key_set import KeySet, read_key_set
from .service_url import ServiceUrl


@dataclass(frozen=True)
class PublicDocument:
    #: Below the hub's URL.
    path: str
    type: str
    #: As a sentence names it: `its keys`.
    name: str
    max_kib: int


class NotFetched(Exception):
    """Why a document could not be fetched. The question has no secret, so neither has the message."""


#: A document, until a moment by `time.monotonic`.
Fetch = Callable[[PublicDocument, float], bytes]

TOKEN_KEYS: Final = PublicDocument("/.well-known/jwks.json", "application/json", "its keys", 64)


@cache
def _trust() -> ssl.SSLContext:
    """The machine's certificates. Reading them takes longer than a question, so a process reads them once."""
    return ssl.create_default_context()


def fetch_from(hub: ServiceUrl) -> Fetch:
    """Fails with NotFetched unless the hub answers with 200 and all of the document."""
    context = _trust() if hub.scheme == "https" else None

    def fetch(document: PublicDocument, deadline: float) -> bytes:
        try:
            with closing(_connection(hub, context, _left(deadline))) as connection:
                return _fetch(connection, hub.path, document, deadline)
        except (OSError, HTTPException, ValueError) as error:
            raise NotFetched(f"{document.name} could not be fetched: {_words_of(error)}") from None

    return fetch


def fetch_key_set(fetch: Fetch, document: PublicDocument, deadline: float) -> KeySet:
    """Fails when the hub does not answer with at least one key of ours."""
    try:
        keys = read_key_set(parse_json(fetch(document, deadline).decode("utf-8-sig")))
    except ValueError:
        raise NotFetched(f"the hub sent something else than JSON as {document.name}") from None
    if not keys:
        raise NotFetched("the hub published no key that the gate can use")
    return keys


def _fetch(
    connection: HTTPConnection, prefix: str, document: PublicDocument, deadline: float
) -> bytes:
    connection.connect()
    # Whatever comes drop by drop ends at the deadline, too. A connection forgets its socket when the answer is its last.
    guard = threading.Timer(_left(deadline), _reset, [connection.sock])
    guard.daemon = True
    guard.start()
    try:
        # An old answer of a cache on the way would be worth nothing.
        headers = {"Accept": document.type, "Cache-Control": "no-cache", "Connection": "close"}
        connection.request("GET", prefix + document.path, headers=headers)
        answer = connection.getresponse()
        if answer.status != 200:
            hint = (
                "; let it answer to this name with --allowed-hosts" if answer.status == 421 else ""
            )
            raise NotFetched(
                f"the hub answered with status {answer.status} instead of {document.name}{hint}"
            )
        most = document.max_kib * 1024
        body = answer.read(most + 1)
        if len(body) > most:
            raise NotFetched(f"the hub sent more than {document.max_kib} KiB as {document.name}")
        _left(deadline)
        if answer.length:
            raise NotFetched(f"the hub broke off while it sent {document.name}")
        return body
    finally:
        guard.cancel()


def _connection(hub: ServiceUrl, context: ssl.SSLContext | None, timeout: float) -> HTTPConnection:
    host = hub.host.strip("[]")
    if context is None:
        return HTTPConnection(host, hub.port, timeout=timeout)
    return HTTPSConnection(host, hub.port, timeout=timeout, context=context)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the hub took too long")
    return left


def _reset(connected: socket.socket) -> None:
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _words_of(error: Exception) -> str:
    return str(error) or type(error).__name__

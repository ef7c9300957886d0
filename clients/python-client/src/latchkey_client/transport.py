"""One HTTP exchange over the standard library: to the given origin alone, and never longer than allowed."""

from __future__ import annotations

import errno
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final

from .service_url import ServiceUrl
from .steps import Head, Send, Unreachable

_CHUNK: Final = 256 * 1024


class LocalFailed(Exception):
    """A body could not be read or kept on this machine. Its cause is what the caller of the client must see."""


@cache
def _trust() -> ssl.SSLContext:
    """The machine's certificates. Reading them takes longer than a request, so a process reads them once."""
    return ssl.create_default_context()


class Exchange:
    """One request and its response. Another thread can end it."""

    def __init__(self, send: Send, url: ServiceUrl, target: str) -> None:
        """Sends nothing yet."""
        self._send = send
        self._url = url
        self._target = target
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_aborted = False
        self._deadline: float | None = None

    def run(self) -> Any:
        """The result of `receive`. Fails with Unreachable, or with an exception of `receive` or of the body."""
        seconds = self._send.deadline_seconds
        guard: threading.Timer | None = None
        if seconds is not None:
            self._deadline = time.monotonic() + seconds
            guard = threading.Timer(seconds, self.abort)
            guard.daemon = True
            guard.start()
        connection = self._connection()
        reason = ""
        try:
            return self._exchange(connection)
        except LocalFailed as failed:
            cause = failed.__cause__
        except (OSError, HTTPException, ValueError) as error:
            reason, cause = _reason_of(error), None
        finally:
            if guard is not None:
                guard.cancel()
            connection.close()
        # Raised here, so that no exception of the platform, whose text may hold a header, goes along.
        if cause is not None:
            raise cause
        if self._deadline is not None and time.monotonic() >= self._deadline:
            reason = "no answer in time"
        raise Unreachable(reason)

    def abort(self) -> None:
        """Ends it, whatever it waits for."""
        with self._lock:
            self._is_aborted = True
            connected = self._socket
        if connected is not None:
            try:
                connected.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _connection(self) -> HTTPConnection:
        host, port = self._url.host.strip("[]"), self._url.port
        seconds = min(self._send.idle_seconds, self._send.deadline_seconds or self._send.idle_seconds)
        if self._url.scheme == "http":
            return HTTPConnection(host, port, timeout=seconds, blocksize=_CHUNK)
        return HTTPSConnection(host, port, timeout=seconds, blocksize=_CHUNK, context=_trust())

    def _exchange(self, connection: HTTPConnection) -> Any:
        connection.connect()
        with self._lock:
            if self._is_aborted:
                raise TimeoutError
            self._socket = connection.sock
        self._write(connection)
        response = connection.getresponse()
        names = {name.lower(): value for name, value in reversed(response.getheaders())}
        return self._send.receive(Head(response.status, names), _chunks_of(response))

    def _write(self, connection: HTTPConnection) -> None:
        body = self._send.body
        connection.putrequest(self._send.method, self._target)
        for name, value in self._send.headers:
            connection.putheader(name, value)
        if self._send.bearer is not None:
            connection.putheader("Authorization", f"Bearer {self._send.bearer.reveal()}")
        connection.putheader("Connection", "close")
        if body is not None:
            connection.putheader("Content-Length", str(body.length))
        connection.endheaders()
        if body is None:
            return
        for chunk in _read(body.open()):
            try:
                connection.send(chunk)
            except (BrokenPipeError, ConnectionResetError):
                # The other side has read enough: its response says why.
                return


def _read(chunks: Any) -> Iterator[bytes]:
    parts = iter(chunks)
    while True:
        try:
            chunk = next(parts, None)
        except Exception as error:
            raise LocalFailed from error
        if chunk is None:
            return
        yield chunk


def _chunks_of(response: HTTPResponse) -> Iterator[bytes]:
    expected = response.length
    while chunk := response.read1(_CHUNK):
        if expected is not None:
            expected -= len(chunk)
        yield chunk
    if expected:
        raise ConnectionResetError(errno.ECONNRESET, "")


def _reason_of(error: Exception) -> str:
    """One word of the system: messages of the platform can hold the values of headers."""
    if isinstance(error, TimeoutError):
        return "ETIMEDOUT"
    if isinstance(error, ssl.SSLError):
        reason = error.reason
        return reason if isinstance(reason, str) and reason.isascii() and len(reason) <= 60 else "TLS"
    if isinstance(error, socket.gaierror):
        return "ENOTFOUND"
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, "")
    return type(error).__name__ if isinstance(error, HTTPException) else ""

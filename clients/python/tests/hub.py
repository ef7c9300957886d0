"""A hub that publishes keys and revocations on this machine, signs any claims, and fails in every way a test asks for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from latchkey_verify import Gate, Options, Request
from latchkey_verify.revocation_list import FOR_EVER, entry_hash
from latchkey_verify.testing import FakeClock, FakeHub, SigningKey

CAS_URL = "https://cas.example/r/{repo}/{ref}"
PREFIX = "/r/bertuid/mainuid"
REVOCATIONS = "/.well-known/storage-revocations"
KEYS = "/.well-known/jwks.json"
HEAD_KEYS = "/.well-known/storage-revocation-keys"


class ClockOf(FakeClock):
    """A clock that a test moves both ways."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        super().__init__(0)
        self._seconds = seconds

    def milliseconds(self) -> int:
        return int(self._seconds() * 1000)


class Hub(FakeHub):
    """Its time is the machine's, so that verifiers need no clock of the test; a test may replace its clock."""

    def __init__(self) -> None:
        super().__init__(CAS_URL, "")
        self.asked: list[str] = []
        #: Instead of the usual answer to a path: status, headers and body.
        self.instead: dict[str, tuple[int, dict[str, str], bytes]] = {}
        #: Seconds before an answer.
        self.delay = 0.0
        #: Seconds between the bytes of an answer.
        self.drip = 0.0
        self.issuer = self.url = self.listen()

    def take_back(self, kind: str, id: str) -> None:
        self.append()
        self.entries[entry_hash(kind, id)] = FOR_EVER

    def sign(self, *, key: SigningKey | None = None, **change: Any) -> str:
        """A token with any claims."""
        now = int(self.clock())
        claims = {
            "iss": self.url,
            "aud": "https://cas.example/r",
            "sub": "ada-id",
            "client_id": "hub-token-id",
            "scope": "read",
            "repo": {"type": "model", "id": "acme/bert", "uid": "bertuid"},
            "ref": {"name": "refs/heads/main", "uid": "mainuid"},
            "commit": "a" * 40,
            "as_of": now * 1000,
            "sees": [],
            "iat": now,
            "exp": now + 900,
            "jti": "token-id",
        }
        return (key or self.key).sign("at+jwt", {**claims, **change})

    def head(self, **change: Any) -> str:
        self.append()
        return super().head(**change)

    def respond(self, path: str) -> tuple[int, dict[str, str], Iterable[bytes]]:
        self.asked.append(path)
        time.sleep(self.delay)
        status, headers, parts = super().respond(path)
        if path in self.instead:
            status, headers, body = self.instead[path]
            headers, parts = {"Content-Length": str(len(body)), **headers}, (body,)
        return status, headers, self._dripped(parts) if self.drip else parts

    def _dripped(self, parts: Iterable[bytes]) -> Iterable[bytes]:
        for byte in b"".join(parts):
            yield bytes([byte])
            time.sleep(self.drip)


def gate_of(hub: Hub, **options: Any) -> Gate:
    failures: Callable[[Exception], None] = options.pop("on_failure", lambda _error: None)
    return Gate(Options(hub_url=hub.url, cas_url=CAS_URL, on_failure=failures, **options))


def asking(token: str, method: str = "GET", path: str = "/v1/chunks/a", **more: Any) -> Request:
    return Request(method, PREFIX + path, [("Authorization", f"Bearer {token}")], **more)

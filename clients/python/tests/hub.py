"""A hub that publishes keys and revocations on this machine, signs tokens, and fails in every way a test asks for."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from latchkey_verify import Gate, Options, Request
from latchkey_verify.revocation_list import entry_hash, list_hash

CAS_URL = "https://cas.example/r/{repo}/{ref}"
PREFIX = "/r/bertuid/mainuid"
REVOCATIONS = "/.well-known/storage-revocations"
KEYS = "/.well-known/jwks.json"
HEAD_KEYS = "/.well-known/storage-revocation-keys"


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class SigningKey:
    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        numbers = self._key.public_key().public_numbers()
        x, y = (encode(each.to_bytes(32, "big")) for each in (numbers.x, numbers.y))
        members = {"crv": "P-256", "kty": "EC", "x": x, "y": y}
        text = json.dumps(members, separators=(",", ":"))
        self.kid = encode(hashlib.sha256(text.encode()).digest())
        self.jwk = {**members, "kid": self.kid, "alg": "ES256", "use": "sig"}

    def sign(self, typ: str, payload: dict[str, Any]) -> str:
        parts = ({"alg": "ES256", "kid": self.kid, "typ": typ}, payload)
        texts = (json.dumps(part, separators=(",", ":")) for part in parts)
        data = ".".join(encode(text.encode()) for text in texts)
        r, s = decode_dss_signature(self._key.sign(data.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{data}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class Hub:
    """Its time is the machine's, so that verifiers need no clock of the test; a test may give it its own."""

    def __init__(self) -> None:
        self.key, self.head_key = SigningKey(), SigningKey()
        self.published: list[Any] = [self.key.jwk]
        self.cut: dict[bytes, int] = {}
        self.asked: list[str] = []
        #: Instead of the usual answer to a path: status, headers and body.
        self.instead: dict[str, tuple[int, dict[str, str], bytes]] = {}
        #: Seconds before an answer.
        self.delay = 0.0
        #: Seconds between the bytes of an answer.
        self.drip = 0.0
        self.clock: Callable[[], float] = time.time
        self._seq = int(time.time() * 1000)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take_back(self, kind: str, id: str) -> None:
        self._seq += 1000
        self.cut[entry_hash(kind, id)] = 2**53 - 1

    def token(self, **change: Any) -> str:
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
        key: SigningKey = change.pop("key", self.key)
        return key.sign("at+jwt", {**claims, **change})

    def head(self, **change: Any) -> str:
        self._seq += 1
        now = int(self.clock())
        head = {
            "iss": self.url,
            "seq": self._seq,
            "list": list_hash(self.list()),
            "iat": now,
            "exp": now + 60,
        }
        return self.head_key.sign("latchkey-revocations+jwt", {**head, **change})

    def list(self) -> bytes:
        return b"".join(key + number.to_bytes(8, "big") for key, number in sorted(self.cut.items()))

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(path)
        time.sleep(self.delay)
        if path in self.instead:
            return self.instead[path]
        documents: dict[str, Callable[[], bytes]] = {
            KEYS: lambda: json.dumps({"keys": self.published}).encode(),
            HEAD_KEYS: lambda: json.dumps({"keys": [self.head_key.jwk]}).encode(),
            REVOCATIONS: lambda: self.head().encode(),
            f"{REVOCATIONS}/{list_hash(self.list())}": self.list,
        }
        document = documents.get(path)
        return (404, {}, b"") if document is None else (200, {}, document())

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                status, headers, body = hub.answer(self.path)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                for byte in body if hub.drip else b"":
                    self.wfile.write(bytes([byte]))
                    time.sleep(hub.drip)
                self.wfile.write(b"" if hub.drip else body)

            def log_message(self, *_words: object) -> None:
                pass

        return Handler


def gate_of(hub: Hub, **options: Any) -> Gate:
    failures: Callable[[Exception], None] = options.pop("on_failure", lambda _error: None)
    return Gate(Options(hub_url=hub.url, cas_url=CAS_URL, on_failure=failures, **options))


def asking(token: str, method: str = "GET", path: str = "/v1/chunks/a", **more: Any) -> Request:
    return Request(method, PREFIX + path, [("Authorization", f"Bearer {token}")], **more)

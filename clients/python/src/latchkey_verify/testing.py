"""A hub for the tests of your storage: it makes tokens and revokes them, without a network and without waiting.

    from latchkey_verify import Gate
    from latchkey_verify.testing import fake_hub

    hub = fake_hub(cas_url="https://cas.example/r/{repo}/{ref}")
    gate = Gate(hub.gate_options())
    token = hub.token(scope="write", repository="models/acme/bert", ref="main")
    hub.revoke(token=token)

The keys of each fake hub are its own and exist in memory only. Never use it in production.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Literal, get_args

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from . import base64url
from .background import answered
from .fetch_document import TOKEN_KEYS
from .fetch_revocations import HEAD, HEAD_KEYS
from .javascript import compact_json
from .key_set import KeySet, read_key_set
from .options import Options
from .revocation_list import FOR_EVER, RevocationList, entry_hash, list_hash
from .revocation_source import Snapshot, State
from .scope_rules import Scope

__all__ = ["FakeClock", "FakeHub", "Flaw", "SigningKey", "fake_hub"]

#: Why a gate must reject a token. `fake_hub().token(flaw=…)` makes such tokens.
Flaw = Literal[
    "expired",
    "not-yet-valid",
    "other-issuer",
    "other-audience",
    "unknown-key",
    "forged-signature",
    "unsigned",
    "other-type",
    "critical-header",
    "embedded-key",
]

_HEAD_LIFE_SECONDS: Final = 60
_REPOSITORY: Final = re.compile(r"(model|dataset|space)s/([\w.-]+)/([\w.-]+)\Z", re.ASCII)
_HASH: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")
_NO_COMMIT: Final = "0" * 40


class FakeClock:
    """The clock of a fake hub and of its gates: the time of the machine, plus what a test has added."""

    def __init__(self, now: int | None = None) -> None:
        """Stands still at `now`, in Unix seconds, or follows the machine."""
        #: Unix time that stands still, or None.
        self._now = now
        self._added = 0

    def __call__(self) -> int:
        return self.milliseconds() // 1000

    def milliseconds(self) -> int:
        """Unix time in milliseconds."""
        now = time.time_ns() // 1_000_000 if self._now is None else self._now * 1000
        return now + self._added * 1000

    def wait_until(self, milliseconds: int) -> None:
        """Waits a few milliseconds at most. A clock that stands still does not wait."""
        while self._now is None and self.milliseconds() < milliseconds:
            time.sleep(0.0005)

    def advance(self, seconds: int) -> None:
        """Moves the clock of hub and gate forward."""
        if seconds < 0:
            raise ValueError(f"seconds: {seconds} would move the clock back; give 0 or more")
        self._added += seconds


class SigningKey:
    """An ES256 key that exists in memory only."""

    def __init__(self) -> None:
        """Makes a new key."""
        self._key = ec.generate_private_key(ec.SECP256R1())
        numbers = self._key.public_key().public_numbers()
        x, y = (base64url.encode(each.to_bytes(32, "big")) for each in (numbers.x, numbers.y))
        members = {"crv": "P-256", "kty": "EC", "x": x, "y": y}
        self.kid = base64url.encode(hashlib.sha256(_compact(members)).digest())
        self.jwk = {**members, "kid": self.kid, "alg": "ES256", "use": "sig"}

    def sign(self, typ: str, payload: dict[str, Any], **header: object) -> str:
        """Signs any claims, with more members of the header. Use it for tokens that no hub would make."""
        data = _signing_input({"alg": "ES256", "kid": self.kid, "typ": typ, **header}, payload)
        r, s = decode_dss_signature(self._key.sign(data.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{data}.{base64url.encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class FakeHub:
    """Makes and revokes storage tokens for tests. `fake_hub` creates one."""

    def __init__(self, cas_url: str, issuer: str, now: int | None = None) -> None:
        """Use `fake_hub` instead."""
        self.cas_url = cas_url
        self.issuer = issuer
        #: `clock.advance(seconds)` moves the time of the hub and of its gates.
        self.clock = FakeClock(now)
        self.key = SigningKey()
        self.head_key = SigningKey()
        self.published: list[dict[str, str]] = [self.key.jwk]
        self.entries: dict[bytes, int] = {}
        self.is_withheld = False
        self._number = self.clock.milliseconds()
        self._uids: dict[tuple[str, ...], str] = {}
        self._forks: dict[tuple[str, ...], int] = {}
        self._server: ThreadingHTTPServer | None = None

    # For the gate

    def gate_options(self, **overrides: Any) -> Options:
        """Options of a gate that trusts this hub: in-memory keys and revocations, and the hub's clock.

        Keyword arguments replace or add options: `hub.gate_options(leeway_seconds=0)`.
        """
        options = Options(
            keys=_Keys(self),
            issuer=self.issuer,
            revocations=_Revocations(self),
            cas_url=self.cas_url,
            clock=self.clock,
        )
        return replace(options, **overrides)

    def cas_url_of(self, repository: str, ref: str = "main") -> str:
        """The `casUrl` that a client gets for this repository and ref."""
        repository_uid, ref_uid = self._uid(repository), self._uid(repository, _full_name(ref))
        return self.cas_url.replace("{repo}", repository_uid).replace("{ref}", ref_uid)

    def path_of(self, repository: str, ref: str = "main") -> str:
        """The path of that `casUrl`: put it before the path of your route."""
        return re.sub(r"\A[a-z]+://[^/]+", "", self.cas_url_of(repository, ref))

    # Tokens

    def token(
        self,
        *,
        scope: Scope = "read",
        repository: str = "models/acme/bert",
        ref: str = "main",
        inherited: Sequence[str] = (),
        expires_in: int = 900,
        account: str = "ada",
        hub_token: str = "ada-laptop",
        flaw: Flaw | None = None,
    ) -> str:
        """Makes a storage token.

        A repository and a ref get a uid when you first name them. `inherited` names the refs whose older content
        the token may read. The limit is the moment when you first name both refs together.
        """
        if scope not in ("read", "write"):
            raise ValueError(f"scope: {scope!r} is not a scope; give 'read' or 'write'")
        claims = self._claims(scope, repository, _full_name(ref), inherited)
        claims |= {"sub": account, "client_id": hub_token, "exp": claims["iat"] + expires_in}
        return self._sign(claims, flaw)

    def _claims(
        self, scope: Scope, repository: str, ref: str, inherited: Sequence[str]
    ) -> dict[str, Any]:
        kind, _, id = repository.partition("/")
        repository_uid, ref_uid = self._uid(repository), self._uid(repository, ref)
        sees = [self._seen(repository, ref, _full_name(each)) for each in inherited]
        now = self.clock()
        return {
            "iss": self.issuer,
            "aud": self.cas_url.partition("{")[0].rstrip("/"),
            "sub": "",
            "client_id": "",
            "scope": scope,
            "repo": {"type": kind[:-1], "id": id, "uid": repository_uid},
            "ref": {"name": ref, "uid": ref_uid},
            "commit": ref if _HASH.match(ref) else _NO_COMMIT,
            "as_of": self._number,
            "sees": sees,
            "iat": now,
            "exp": now,
            "jti": secrets.token_urlsafe(16),
        }

    def _seen(self, repository: str, ref: str, inherited: str) -> dict[str, Any]:
        uids = (self._uid(repository, ref), self._uid(repository, inherited))
        if uids not in self._forks:
            # Every row of earlier content has a lower number, and every row of later content has not.
            self._forks[uids] = self.append(at_least=self.clock.milliseconds() + 1)
            self.clock.wait_until(self._forks[uids])
        return {"uid": uids[1], "before": self._forks[uids]}

    def _sign(self, claims: dict[str, Any], flaw: Flaw | None) -> str:
        key = SigningKey() if flaw == "unknown-key" else self.key
        if flaw == "expired":
            claims |= {"iat": claims["iat"] - 7200, "exp": claims["iat"] - 3600}
        elif flaw == "not-yet-valid":
            claims |= {"iat": claims["iat"] + 3600, "exp": claims["exp"] + 3600}
        elif flaw == "other-issuer":
            claims |= {"iss": "https://other-hub.example"}
        elif flaw == "other-audience":
            claims |= {"aud": "https://other-cas.example/r"}
        elif flaw == "unsigned":
            return f"{_signing_input({'alg': 'none', 'kid': key.kid, 'typ': 'at+jwt'}, claims)}."
        elif flaw == "other-type":
            return key.sign("jwt", claims)
        elif flaw == "critical-header":
            return key.sign("at+jwt", claims, crit=["latchkey"], latchkey=True)
        elif flaw == "embedded-key":
            other = SigningKey()
            return other.sign("at+jwt", claims, jwk=other.jwk)
        elif flaw not in (None, "unknown-key", "forged-signature"):
            raise ValueError(f"flaw: {flaw!r} is not a flaw; give one of {', '.join(get_args(Flaw))}")
        token = key.sign("at+jwt", claims)
        if flaw != "forged-signature":
            return token
        return f"{token.rpartition('.')[0]}.{SigningKey().sign('at+jwt', claims).rpartition('.')[2]}"

    # Changes at the hub

    def revoke(
        self,
        *,
        token: str | None = None,
        hub_token: str | None = None,
        account: str | None = None,
        repository: str | None = None,
        namespace: str | None = None,
        ref: str | None = None,
        all: bool = False,
    ) -> None:
        """Revokes tokens, as a change at the hub would.

        Give one of `token`, `hub_token`, `account`, `repository` and `all`, or a pair: `account` with `repository`
        or with `namespace`, or `repository` with `ref`. Gates made with `gate_options` know it at once.
        """
        number = self.append()
        named = {
            **{"token": token, "hub_token": hub_token, "account": account},
            **{"repository": repository, "namespace": namespace, "ref": ref, "all": all or None},
        }
        given = {name: value for name, value in named.items() if value is not None}
        match given:
            case {"token": str(text), **rest} if not rest:
                self.entries[entry_hash("token", _claims_of(text)["jti"])] = FOR_EVER
            case {"hub_token": str(id), **rest} if not rest:
                self.entries[entry_hash("hub-token", id)] = FOR_EVER
            case {"account": str(id), "repository": str(name), **rest} if not rest:
                place = f"{id}/{self._uid(name)}"
                self.entries[entry_hash("account+repository", place)] = number
            case {"account": str(id), "namespace": str(name), **rest} if not rest:
                self.entries[entry_hash("account+namespace", f"{id}/{name}")] = number
            case {"repository": str(name), "ref": str(ref_name), **rest} if not rest:
                self.entries[entry_hash("ref", self._uid(name, _full_name(ref_name)))] = number
            case {"account": str(id), **rest} if not rest:
                self.entries[entry_hash("account", id)] = number
            case {"repository": str(name), **rest} if not rest:
                self.entries[entry_hash("repository", self._uid(name))] = number
            case {"all": True, **rest} if not rest:
                self.entries[entry_hash("all", "")] = number
            case _:
                raise ValueError(
                    f"revoke: {', '.join(given) or 'no argument'} names nothing to revoke; give token, hub_token, "
                    "account, repository or all, account with repository or namespace, or repository with ref"
                )

    def delete_repository(self, repository: str) -> None:
        """Deletes the repository. The same name is another repository afterwards."""
        self.revoke(repository=repository)
        for names in [names for names in self._uids if names[0] == repository]:
            del self._uids[names]

    def delete_ref(self, repository: str, ref: str) -> None:
        """Deletes the ref. The same name is another ref afterwards."""
        self.revoke(repository=repository, ref=ref)
        del self._uids[(repository, _full_name(ref))]

    def rotate_key(self, *, compromised: bool = False) -> None:
        """Signs with a new key. The old key stays published, unless it is compromised."""
        self.append()
        if compromised:
            self.entries[entry_hash("key", self.key.kid)] = FOR_EVER
            self.published.remove(self.key.jwk)
        self.key = SigningKey()
        self.published.append(self.key.jwk)

    def withhold_revocations(self) -> None:
        """Lets the revocation list become stale, as if the hub did not respond for a minute."""
        self.is_withheld = True

    def restore_revocations(self) -> None:
        """Ends `withhold_revocations`."""
        self.is_withheld = False

    # For verifiers in other processes

    def listen(self, port: int = 0) -> str:
        """Serves keys and revocations over HTTP on the loopback interface, and returns the address."""
        if self._server is None:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
            self._server.daemon_threads = True
            threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stops the server of `listen`."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> FakeHub:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def head(self, **change: Any) -> str:
        """The signed head of the revocation list."""
        now = self.clock()
        head = {
            "iss": self.issuer,
            "seq": self._number,
            "list": list_hash(self.list()),
            "iat": now,
            "exp": now + _HEAD_LIFE_SECONDS,
        }
        return self.head_key.sign("latchkey-revocations+jwt", {**head, **change})

    def list(self) -> bytes:
        """The revocation list as published."""
        entries = sorted(self.entries.items())
        return b"".join(key + number.to_bytes(8, "big") for key, number in entries)

    def respond(self, path: str) -> tuple[int, dict[str, str], Iterable[bytes]]:
        """Status, headers and body of the response to `GET path`. Override it to let your hub fail."""
        documents: dict[str, Callable[[], bytes]] = {
            TOKEN_KEYS.path: lambda: _compact({"keys": self.published}),
            HEAD_KEYS.path: lambda: _compact({"keys": [self.head_key.jwk]}),
            HEAD.path: lambda: self.head().encode(),
            f"{HEAD.path}/{list_hash(self.list())}": self.list,
        }
        document = documents.get(path)
        if document is None or (self.is_withheld and path == HEAD.path):
            return 404, {"Content-Length": "0"}, ()
        body = document()
        return 200, {"Content-Length": str(len(body))}, (body,)

    def append(self, at_least: int = 0) -> int:
        """Appends an entry to the journal. Its number is above all earlier ones."""
        self._number = max(self._number + 1, self.clock.milliseconds(), at_least)
        return self._number

    def _uid(self, repository: str, *ref: str) -> str:
        if not _REPOSITORY.match(repository):
            raise ValueError(
                f"repository: {repository!r} is not a repository; give type, namespace and name, "
                "as in models/acme/bert"
            )
        names = (repository, *ref)
        if names not in self._uids:
            self.append()
            self._uids[names] = secrets.token_hex(16)
        return self._uids[names]


def fake_hub(
    *,
    cas_url: str = "https://cas.example/r/{repo}/{ref}",
    issuer: str = "https://hub.example",
    now: int | None = None,
) -> FakeHub:
    """Creates a hub for tests.

    `cas_url` is the address of your storage. The hub follows the time of the machine. If you give `now`, in Unix
    seconds, time stands still until you advance the clock.

    >>> hub = fake_hub()
    >>> hub.path_of("models/acme/bert").count("/")
    3
    """
    return FakeHub(cas_url, issuer, now)


class _Keys:
    def __init__(self, hub: FakeHub) -> None:
        self._hub = hub

    def known(self) -> KeySet:
        return read_key_set({"keys": self._hub.published})

    def refresh(self) -> Future[bool]:
        return answered(True)


class _Revocations:
    def __init__(self, hub: FakeHub) -> None:
        self._hub = hub
        self._list: RevocationList = {}

    def latest(self) -> Snapshot:
        if self._list != self._hub.entries and not self._hub.is_withheld:
            self._list = dict(self._hub.entries)
        state: State = "over" if self._hub.is_withheld else "current"
        return Snapshot(None, self._list, lambda: state, lambda: 0.0)

    def refresh(self) -> Future[None]:
        return answered(None)

    def has_failed_lately(self) -> bool:
        return self._hub.is_withheld

    def poll(self) -> None:
        pass

    def close(self) -> None:
        pass


def _handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, headers, body = hub.respond(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            try:
                self.end_headers()
                for part in body:
                    self.wfile.write(part)
            except ConnectionError:
                self.close_connection = True

        def log_message(self, *_words: object) -> None:
            pass

    return Handler


def _full_name(ref: str) -> str:
    return ref if ref.startswith("refs/") or _HASH.match(ref) else f"refs/heads/{ref}"


def _claims_of(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = json.loads(base64url.decode(token.split(".")[1]) or b"{}")
    return claims


def _compact(value: object) -> bytes:
    return compact_json(value).encode()


def _signing_input(header: dict[str, Any], payload: dict[str, Any]) -> str:
    return ".".join(base64url.encode(_compact(part)) for part in (header, payload))

"""What does a check cost? Unseen and seen tokens beside a bare signature check and PyJWT, as ratios."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import hub  # noqa: E402
from latchkey_verify import Admission, Gate, Options, read_key_set  # noqa: E402
from latchkey_verify import base64url  # noqa: E402
from latchkey_verify.revocation_list import entry_hash  # noqa: E402
from latchkey_verify.revocation_source import FixedRevocations  # noqa: E402
from latchkey_verify.testing import SigningKey  # noqa: E402

ROUNDS = int(os.environ.get("ROUNDS", "11"))
TOKENS = 300
ISSUER = "https://hub.example"

key = SigningKey()
keys = read_key_set({"keys": [key.jwk]})
verifying = keys[key.kid]
now = int(time.time())


def token(number: int) -> str:
    claims = {
        **{"iss": ISSUER, "aud": "https://cas.example/r", "sub": "ada-id", "client_id": "hub-token-id"},
        **{"scope": "read", "repo": {"type": "model", "id": "acme/bert", "uid": "bertuid"}},
        **{"ref": {"name": "refs/heads/main", "uid": "mainuid"}, "commit": "a" * 40, "as_of": now * 1000},
        **{"sees": [], "iat": now, "exp": now + 900, "jti": f"token-{number}"},
    }
    return key.sign("at+jwt", claims)


def new_gate() -> Gate:
    """With a list of a thousand revocations, none of which is about these tokens."""
    cut = {entry_hash("account", f"account-{number}"): 2**53 - 1 for number in range(1000)}
    return Gate(
        Options(keys=keys, issuer=ISSUER, cas_url=hub.CAS_URL, revocations=FixedRevocations(cut))
    )


def bare(text: str) -> None:
    signed, _, signature = text.rpartition(".")
    assert verifying.has_signed(signed.encode(), base64url.decode(signature) or b"")


def checked_by(gate: Gate) -> Callable[[str], None]:
    def check(text: str) -> None:
        assert isinstance(gate.check(hub.asking(text)), Admission)

    return check


def with_pyjwt() -> Callable[[str], object] | None:
    try:
        import jwt
    except ImportError:
        print("NOT MEASURED: PyJWT is not installed, so nothing is compared with it.")
        return None
    public = jwt.PyJWK(key.jwk).key
    options = {"algorithms": ["ES256"], "issuer": ISSUER, "audience": "https://cas.example/r"}
    return lambda text: jwt.decode(text, public, leeway=30, **options)  # type: ignore[arg-type]


def seconds(work: Callable[[str], object], tokens: list[str]) -> float:
    started = time.perf_counter()
    for text in tokens:
        work(text)
    return (time.perf_counter() - started) / len(tokens)


def main() -> None:
    tokens = [token(number) for number in range(TOKENS)]
    pyjwt = with_pyjwt()
    found: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        base = seconds(bare, tokens)
        gate = checked_by(new_gate())
        measured = {"unseen token": seconds(gate, tokens), "seen token": seconds(gate, tokens)}
        if pyjwt is not None:
            measured["PyJWT decode"] = seconds(pyjwt, tokens)
        for name, took in measured.items():
            found.setdefault(name, []).append(took / base)
    print(f"times a bare ES256 check takes, median of {ROUNDS} rounds of {TOKENS} tokens:")
    for name, ratios in found.items():
        print(f"  {name:<14} {statistics.median(ratios):.2f}  ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()

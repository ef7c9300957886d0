"""The shared vectors, as the tests of every way to a gate read them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from latchkey_verify import Gate, Grant, Options, read_key_set

_FOLDER = Path(__file__).resolve().parents[3] / "vectors"


def read(name: str) -> dict[str, Any]:
    with open(_FOLDER / name, encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document


REQUESTS = read("requests.json")


@dataclass(frozen=True)
class Vector:
    """A request with the answer it is owed."""

    name: str
    method: str
    target: str
    headers: list[tuple[str, str]]
    status: int
    code: str | None
    grant: dict[str, str] | None
    #: The target under which the storage gets it.
    gets: str | None
    body: str = ""


@cache
def matrix() -> list[Vector]:
    found = []
    for row in REQUESTS["matrix"]:
        token_name, method, place, path, status, code = row
        token = REQUESTS["tokens"][token_name]
        headers = [] if token is None else [("Authorization", f"Bearer {token}")]
        target = REQUESTS["places"][place] + path
        owed = (REQUESTS["grants"][token_name], path or "/") if code is None else (None, None)
        found.append(Vector(json.dumps(row), method, target, headers, status, code, *owed))
    return found


def requests() -> list[Vector]:
    return [
        Vector(
            each["name"],
            each["method"],
            _filled(each["target"]),
            [(name, _filled(value)) for name, value in each["headers"]],
            each["status"],
            each["code"],
            REQUESTS["grants"][each["grant"]] if "grant" in each else None,
            each.get("gets"),
            each.get("body", ""),
        )
        for each in REQUESTS["requests"]
    ]


def gate() -> Gate:
    """The gate that the vectors of requests are about."""
    return Gate(
        Options(
            keys=read_key_set(REQUESTS["jwks"]),
            issuer=REQUESTS["issuer"],
            cas_url=REQUESTS["casUrl"],
            leeway_seconds=REQUESTS["leewaySeconds"],
            failures_per_minute=0,
            clock=lambda: int(REQUESTS["now"]),
        )
    )


def shown(grant: Grant) -> dict[str, str]:
    """What the vectors tell of a grant."""
    return {
        "scope": grant.scope,
        "repository": grant.repository,
        "repositoryUid": grant.repository_uid,
        "ref": grant.ref,
        "refUid": grant.ref_uid,
        "subject": grant.subject,
    }


def _filled(text: str) -> str:
    return re.sub(r"<([^<>]+)>", lambda found: REQUESTS["tokens"][found[1]] or "", text)

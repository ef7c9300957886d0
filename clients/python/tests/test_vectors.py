"""Every vector that concerns a verifier ends as it says."""

from __future__ import annotations

import base64
import json
import unittest
from typing import Any

import vectors
from latchkey_verify import CheckResult, Rejection, Request, read_key_set
from latchkey_verify import base64url
from latchkey_verify.claims import Claims
from latchkey_verify.fetch_document import NotFetched, PublicDocument
from latchkey_verify.grant import grant_of
from latchkey_verify.hub_revocations import HubRevocations
from latchkey_verify.revocation_list import is_revoked, list_hash, read_revocation_list
from latchkey_verify.scope_rules import scope_rules
from latchkey_verify.storage_path import is_normal_path
from latchkey_verify.verify_token import Expectation, Verified, verify_token


def told(claims: Claims) -> dict[str, Any]:
    """The claims as the vectors write them."""
    said = {**vars(claims)}
    repo = {name: said.pop(f"repo_{name}") for name in ("type", "id", "uid")}
    ref = {name: said.pop(f"ref_{name}") for name in ("name", "uid")}
    return {**said, "repo": repo, "ref": ref, "sees": [vars(seen) for seen in claims.sees]}


class Tokens(unittest.TestCase):
    def test_every_token_is_taken_or_refused_for_its_reason(self) -> None:
        document = vectors.read("tokens.json")
        keys = read_key_set(document["jwks"])
        expected = Expectation(
            document["issuer"], document["audience"], document["leewaySeconds"]
        )
        for case in document["cases"]:
            with self.subTest(case["name"]):
                verified = verify_token(case["token"], keys, expected, document["now"])
                found = told(verified.claims) if isinstance(verified, Verified) else verified
                self.assertEqual(found, case["claims"] if case["accepted"] else case["reason"])
        self.assertGreater(len(document["cases"]), 250)


class ScopeRules(unittest.TestCase):
    document = vectors.read("scope-rules.json")

    def test_every_path_is_normal_or_not(self) -> None:
        for case in self.document["paths"]:
            with self.subTest(case["path"]):
                self.assertEqual(is_normal_path(case["path"]), case["normal"])
        self.assertGreater(len(self.document["paths"]), 400)

    def test_every_request_wants_its_scope(self) -> None:
        wanted = scope_rules()
        for case in self.document["scopes"]:
            with self.subTest(method=case["method"], path=case["path"]):
                self.assertEqual(wanted(case["method"], case["path"]), case["wants"])
        self.assertGreater(len(self.document["scopes"]), 1500)


def verdict_of(checked: CheckResult) -> tuple[object, ...]:
    if isinstance(checked, Rejection):
        return checked.refusal.status, checked.refusal.code, None, None
    return 200, None, vectors.shown(checked.grant), checked.path + checked.query


class Requests(unittest.TestCase):
    def check_all(self, each: list[vectors.Vector]) -> None:
        gate = vectors.gate()
        for vector in each:
            with self.subTest(vector.name):
                checked = gate.check(Request(vector.method, vector.target, vector.headers))
                owed = (vector.status, vector.code, vector.grant, vector.gets)
                self.assertEqual(verdict_of(checked), owed)

    def test_every_single_request_is_answered_as_it_is_owed(self) -> None:
        self.check_all(vectors.requests())

    def test_every_combination_of_token_method_place_and_path_is_answered_as_it_is_owed(self) -> None:
        self.check_all(vectors.matrix())
        self.assertGreater(len(vectors.matrix()), 4000)


class VectorHub:
    """A hub that answers what the vectors say, and a verifier of it on clocks moved by hand."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.published = document["publishedKeys"]
        self.names = list(self.published)
        self.lists = {each["hash"]: base64.b64decode(each["bytes"]) for each in document["lists"]}
        self.head: str | None = None
        self.wall, self.passed = document["now"], 0.0
        self.verifier = HubRevocations(
            self.fetch,
            document["issuer"],
            clock=lambda: int(self.wall),
            stopwatch=lambda: self.passed,
            leeway_seconds=document["leewaySeconds"],
            on_failure=lambda _error: None,
        )

    def fetch(self, document: PublicDocument, _deadline: float) -> bytes:
        if document.path.endswith("-keys"):
            return json.dumps({"keys": [self.published[name] for name in self.names]}).encode()
        found = self.lists.get(document.path.rpartition("/")[2])
        if found is not None:
            return found
        if self.head is None or not document.path.endswith("storage-revocations"):
            raise NotFetched("no answer")
        return self.head.encode("latin-1")

    def step(self, step: dict[str, Any]) -> None:
        self.passed += step.get("wait", 0)
        self.wall += step.get("wait", 0) + step.get("set", 0)
        self.names = step.get("keys", self.names)
        if "head" in step:
            self.head = step["head"]
            self.verifier.refresh().result(60)

    def state(self) -> str:
        snapshot = self.verifier.latest()
        if snapshot is None:
            return "none"
        return "over" if snapshot.state() == "over" else "good"


class Revocations(unittest.TestCase):
    document = vectors.read("revocations.json")
    lists = {each["name"]: each for each in document["lists"]}

    def entries(self, name: str) -> dict[str, int] | None:
        entries = self.lists[name].get("entries")
        return entries and {each["hash"]: each["number"] for each in entries}

    def test_every_list_is_read_or_refused(self) -> None:
        for name, each in self.lists.items():
            with self.subTest(name):
                data = base64.b64decode(each["bytes"])
                self.assertEqual(list_hash(data), each["hash"])
                found = read_revocation_list(data)
                if "entries" not in each:
                    self.assertIsNone(found)
                    continue
                assert found is not None
                read = {base64url.encode(key): number for key, number in found.items()}
                self.assertEqual(read, self.entries(name) or {})

    def test_every_head_is_taken_or_refused(self) -> None:
        for each in self.document["heads"]:
            with self.subTest(each["name"]):
                hub = VectorHub(self.document)
                hub.step({"head": each["head"]})
                self.assertEqual(hub.state(), "good" if each["accepted"] else "none")

    def test_one_answer_after_the_other_leaves_the_list_that_counts(self) -> None:
        for history in self.document["histories"]:
            hub = VectorHub(self.document)
            for number, step in enumerate(history["steps"]):
                with self.subTest(history["name"], step=number):
                    hub.step(step)
                    self.assertEqual(hub.state(), step["holds"]["state"])
                    snapshot = hub.verifier.latest()
                    name = step["holds"].get("list")
                    held = None if snapshot is None else {
                        base64url.encode(key): value for key, value in snapshot.list.items()
                    }
                    self.assertEqual(held, None if name is None else self.entries(name) or {})

    def test_every_list_ends_the_token_or_not(self) -> None:
        document = self.document
        expected = Expectation(document["issuer"], "https://cas.example/r")
        keys = read_key_set(document["keysOfTokens"])
        verified = verify_token(document["token"], keys, expected, document["now"])
        assert isinstance(verified, Verified)
        self.assertEqual(verified.kid, document["tokenKid"])
        grant = grant_of(verified.claims, verified.kid)
        for each in document["deaths"]:
            with self.subTest(each["list"]):
                entries = read_revocation_list(base64.b64decode(self.lists[each["list"]]["bytes"]))
                assert entries is not None
                self.assertEqual(is_revoked(grant, entries), each["dead"])


if __name__ == "__main__":
    unittest.main()

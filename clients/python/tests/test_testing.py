"""The fake hub: a gate that trusts it decides as with a real hub, in this process and over HTTP."""

from __future__ import annotations

import doctest
import json
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import latchkey_verify.visibility
from latchkey_verify import Admission, Gate, Grant, Options, Request, Row, SeenRef, row_for, visible
from latchkey_verify.testing import FakeHub, Flaw, fake_hub

_BERT = "models/acme/bert"


def ask(hub: FakeHub, gate: Gate, token: str, ref: str = "main") -> str:
    """`admitted`, or the code of the error and its reason."""
    target = f"{hub.path_of(_BERT, ref)}/v1/chunks/a"
    checked = gate.check(Request("GET", target, [("Authorization", f"Bearer {token}")]))
    if isinstance(checked, Admission):
        return "admitted"
    return f"{checked.refusal.code}: {checked.refusal.reason}"


class FakeHubs(unittest.TestCase):
    def setUp(self) -> None:
        self.hub = fake_hub()
        self.gate = Gate(self.hub.gate_options())

    def test_a_grant_has_what_the_test_named(self) -> None:
        token = self.hub.token(scope="write", ref="refs/tags/v1", inherited=["main"], account="grace")
        target = f"{self.hub.path_of(_BERT, 'refs/tags/v1')}/v1/shards"
        checked = self.gate.check(Request("POST", target, [("Authorization", f"Bearer {token}")]))
        assert isinstance(checked, Admission)
        grant = checked.grant
        self.assertEqual(
            (grant.scope, grant.repository, grant.ref, grant.subject, len(grant.sees)),
            ("write", _BERT, "refs/tags/v1", "grace", 1),
        )
        self.assertEqual(checked.path, "/v1/shards")

    def test_a_token_with_a_flaw_is_invalid_for_the_reason_that_its_flaw_says(self) -> None:
        reasons = {flaw: ask(self.hub, self.gate, self.hub.token(flaw=flaw)) for flaw in get_args(Flaw)}
        in_header = {reasons.pop(flaw) for flaw in ("other-type", "critical-header", "embedded-key")}
        self.assertEqual(len(in_header), 1, in_header)
        self.assertEqual(len(set(reasons.values())), len(reasons), reasons)
        for reason in (*reasons.values(), *in_header):
            self.assertTrue(reason.startswith("storage_token_invalid: "), reason)

    def test_each_way_to_revoke_ends_exactly_the_tokens_that_it_names(self) -> None:
        cases: list[dict[str, Any]] = [
            {"hub_token": "ada-laptop"},
            {"account": "ada"},
            {"account": "ada", "repository": _BERT},
            {"account": "ada", "namespace": "acme"},
            {"repository": _BERT},
            {"repository": _BERT, "ref": "main"},
            {"all": True},
        ]
        for case in cases:
            with self.subTest(case):
                token = self.hub.token()
                other = self.hub.token(account="grace", hub_token="grace-laptop", repository="models/b/c")
                self.hub.revoke(**case)
                self.assertEqual(ask(self.hub, self.gate, token), "storage_token_invalid: revoked")
                is_other_good = self.is_good(other, "models/b/c")
                self.assertEqual(is_other_good, "all" not in case)
                again = self.hub.token(hub_token="ada-ci")
                self.assertEqual(ask(self.hub, self.gate, again), "admitted")

    def is_good(self, token: str, repository: str) -> bool:
        target = f"{self.hub.path_of(repository)}/v1/chunks/a"
        checked = self.gate.check(Request("GET", target, [("Authorization", f"Bearer {token}")]))
        return isinstance(checked, Admission)

    def test_one_token_is_revoked_and_another_of_the_same_account_is_not(self) -> None:
        tokens = [self.hub.token(), self.hub.token()]
        self.hub.revoke(token=tokens[0])
        self.assertEqual(ask(self.hub, self.gate, tokens[0]), "storage_token_invalid: revoked")
        self.assertEqual(ask(self.hub, self.gate, tokens[1]), "admitted")

    def test_a_ref_made_again_is_another_ref(self) -> None:
        token, path = self.hub.token(), self.hub.path_of(_BERT)
        self.hub.delete_ref(_BERT, "main")
        self.assertEqual(ask(self.hub, self.gate, token), "storage_token_invalid: revoked")
        self.assertNotEqual(self.hub.path_of(_BERT), path)

    def test_a_new_key_is_known_at_once_and_the_old_one_stays(self) -> None:
        old = self.hub.token()
        self.hub.rotate_key()
        for token in (old, self.hub.token()):
            self.assertEqual(ask(self.hub, self.gate, token), "admitted")

    def test_a_compromised_key_ends_its_tokens(self) -> None:
        old = self.hub.token()
        self.hub.rotate_key(compromised=True)
        self.assertTrue(ask(self.hub, self.gate, old).startswith("storage_token_invalid"))
        self.assertEqual(ask(self.hub, self.gate, self.hub.token()), "admitted")

    def test_time_stands_still_where_the_test_gives_it(self) -> None:
        hub = fake_hub(now=1_800_000_000)
        gate = Gate(hub.gate_options(leeway_seconds=0))
        token = hub.token(expires_in=60)
        hub.clock.advance(59)
        self.assertEqual(ask(hub, gate, token), "admitted")
        hub.clock.advance(1)
        self.assertEqual(ask(hub, gate, token), "storage_token_invalid: expired")

    def test_the_revocation_list_becomes_stale_and_recovers(self) -> None:
        token = self.hub.token()
        self.hub.withhold_revocations()
        self.assertTrue(ask(self.hub, self.gate, token).startswith("gate_not_ready"))
        lenient = Gate(self.hub.gate_options(when_stale="allow"))
        self.assertEqual(ask(self.hub, lenient, token), "admitted")
        self.hub.restore_revocations()
        self.assertEqual(ask(self.hub, self.gate, token), "admitted")

    def test_a_gate_in_another_process_learns_keys_and_revocations_over_http(self) -> None:
        with fake_hub() as hub:
            gate = Gate(Options(hub_url=hub.listen(), issuer=hub.issuer, cas_url=hub.cas_url))
            self.addCleanup(gate.close)
            token = hub.token()
            self.assertEqual(ask(hub, gate, token), "admitted")
            hub.revoke(account="ada")
            gate.refresh()
            self.assertEqual(ask(hub, gate, token), "storage_token_invalid: revoked")

    def test_a_wrong_argument_is_an_error_that_names_the_argument(self) -> None:
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("scope", {"scope": "admin"}),
            ("repository", {"repository": "acme/bert"}),
            ("flaw", {"flaw": "late"}),
        ]
        for name, arguments in wrong:
            with self.assertRaisesRegex(ValueError, f"^{name}: "):
                self.hub.token(**arguments)
        for arguments in ({}, {"ref": "main"}, {"account": "ada", "hub_token": "x"}):
            with self.assertRaisesRegex(ValueError, "^revoke: "):
                self.hub.revoke(**arguments)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            self.hub.clock.advance(-1)


class Visibility(unittest.TestCase):
    def test_the_vectors_of_visibility_hold(self) -> None:
        file = Path(__file__).resolve().parents[3] / "vectors/visibility.json"
        vectors = json.loads(file.read_text("utf-8"))
        hub = fake_hub()
        target = f"{hub.path_of(_BERT)}/v1/chunks/a"
        headers = [("Authorization", f"Bearer {hub.token()}")]
        checked = Gate(hub.gate_options()).check(Request("GET", target, headers))
        assert isinstance(checked, Admission)

        def grant_of(case: dict[str, Any]) -> Grant:
            grant = case["grant"]
            sees = tuple(SeenRef(each["uid"], each["before"]) for each in grant["sees"])
            uids = {"repository_uid": grant["repositoryUid"], "ref_uid": grant["refUid"]}
            return replace(checked.grant, **uids, sees=sees, as_of=grant.get("asOf", 0))

        def row_of(row: dict[str, Any]) -> Row:
            return Row(row["repositoryUid"], row["refUid"], row["writtenAt"])

        for case in vectors["rows"]:
            with self.subTest(case["name"]):
                self.assertEqual(row_for(grant_of(case), case["nowMilliseconds"]), row_of(case["row"]))
        for case in vectors["visible"]:
            with self.subTest(case["name"]):
                self.assertIs(visible(grant_of(case), row_of(case["row"])), case["visible"])
        self.assertGreater(len(vectors["rows"]) + len(vectors["visible"]), 5)

    def test_a_row_is_never_older_than_the_decision_about_its_token(self) -> None:
        hub = fake_hub()
        target = f"{hub.path_of(_BERT)}/v1/chunks/a"
        headers = [("Authorization", f"Bearer {hub.token()}")]
        checked = Gate(hub.gate_options()).check(Request("GET", target, headers))
        assert isinstance(checked, Admission)
        grant = checked.grant
        for wrong in (-1, 1.5, True):
            with self.assertRaisesRegex(ValueError, "^now_ms: "):
                row_for(grant, wrong)  # type: ignore[arg-type]
        self.assertEqual(row_for(grant, 5), Row(grant.repository_uid, grant.ref_uid, grant.as_of))
        self.assertEqual(row_for(grant, grant.as_of + 5).written_at, grant.as_of + 5)
        failed, _ = doctest.testmod(latchkey_verify.visibility, extraglobs={"grant": grant})
        self.assertEqual(failed, 0)
        self.assertTrue(visible(grant, row_for(grant)))


if __name__ == "__main__":
    unittest.main()

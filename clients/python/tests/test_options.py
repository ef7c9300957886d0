"""A gate does not start where it would guard nothing, and guards what its options say."""

from __future__ import annotations

import unittest
from typing import Any

import vectors
from latchkey_verify import Admission, CannotStart, Gate, Location, Options, ReadRequest, Rejection
from latchkey_verify import Request, ScopeRules, WriteRule, read_key_set
from latchkey_verify.service_url import parse_service_url

CAS_URL = "https://cas.example/r/{repo}/{ref}"
KEYS = read_key_set(vectors.REQUESTS["jwks"])
GOOD: dict[str, Any] = {"hub_url": "https://hub.example", "cas_url": CAS_URL}


class DoesNotStart(unittest.TestCase):
    def refused(self, **change: Any) -> str:
        with self.assertRaises(CannotStart) as caught:
            Gate(Options(**{**GOOD, **change}))
        return str(caught.exception)

    def test_with_good_options_it_starts(self) -> None:
        Gate(Options(**GOOD))
        Gate(Options(**{**GOOD, "hub_url": "http://127.0.0.1:8080"}))
        Gate(Options(**{**GOOD, "hub_url": "http://hub.example", "allow_plain_http": True}))
        Gate(Options(hub_url="https://hub.example", audience="https://cas.example", isolation="none"))

    def test_without_hub_keys_or_storage(self) -> None:
        self.refused(hub_url=None)
        self.refused(cas_url=None)
        self.refused(keys=KEYS)
        self.refused(keys=KEYS, hub_url=None)
        self.refused(revocations=object())
        self.refused(audience="https://cas.example")

    def test_where_nothing_tells_repositories_and_refs_apart(self) -> None:
        for cas_url in ("https://cas.example", "https://cas.example/{repo}", "https://cas.example/{ref}"):
            self.assertIn("nothing tells repositories", self.refused(cas_url=cas_url))
        self.refused(cas_url="https://cas.example/x{repo}/{ref}")
        self.refused(cas_url="https://cas.example/{repo}/{repo}/{ref}")
        self.refused(cas_url="https://cas.example/r/{repo}/{ref}/" + "a" * 2048)
        self.refused(isolation="all")

    def test_with_urls_that_are_not_in_their_normal_form(self) -> None:
        wrong = [
            *("", "hub.example", "ftp://hub.example", "https://", "https://hub.example/", "https://HUB.example"),
            *("https://hub.example:443", "http://127.0.0.1:80", "https://hub.example:0", "https://hub.example:65536"),
            *("https://hub.example?x", "https://hub.example#x", "https://user@hub.example", "https://hub.example/a//b"),
            *("https://hub.example/../x", "https://127.1", "https://0x7f.1", "https://127.0.0.01", "https://[::0001]"),
            *("https://[::1", "https://hub..example", "https://.example", "https://hub.example\n"),
            "https://hüb.example",
            *("http://hub.example", "http://localhost.evil.example", "https://hub.example/a/", 7),
        ]
        for url in wrong:
            with self.subTest(url):
                self.refused(hub_url=url)
        for url in ("https://hub.example/a/b", "https://[::1]:8080", "https://10.0.0.1", "https://xn--hb-xka.example"):
            self.assertEqual(Gate(Options(**{**GOOD, "hub_url": url})).audience, "https://cas.example/r")

    def test_with_numbers_and_words_that_mean_nothing(self) -> None:
        for leeway in (-1, 61, 1.5, "30", True, None):
            self.refused(leeway_seconds=leeway)
        for poll in (0, 31):
            self.refused(poll_seconds=poll)
        self.refused(when_stale="maybe")
        self.refused(failures_per_minute=-1)
        for path in ("v1", "/v1/**/x", "/v1/a*", "/v1//x", "/v1/", ""):
            self.refused(rules=ScopeRules([WriteRule("unsafe", path)]))
        self.refused(rules=ScopeRules(relax_other_methods=True, every_unsafe_method_writes=True))

    def test_an_authority_is_told_with_its_port(self) -> None:
        self.assertEqual(parse_service_url("x", "http://[::1]:8081").authority, "[::1]:8081")
        self.assertEqual(parse_service_url("x", "https://cas.example/r").authority, "cas.example")


def gate(**change: Any) -> Gate:
    document = vectors.REQUESTS
    given: dict[str, Any] = {"keys": KEYS, "issuer": document["issuer"], "audience": document["audience"]}
    return Gate(Options(**{**given, "clock": lambda: int(document["now"]), **change}))


def check(guarding: Gate, method: str, target: str, token: str = "read") -> str:
    text = vectors.REQUESTS["tokens"][token]
    checked = guarding.check(Request(method, target, [("Authorization", f"Bearer {text}")]))
    return checked.refusal.code if isinstance(checked, Rejection) else checked.path


class Places(unittest.TestCase):
    def located(self, found: object) -> Gate:
        return gate(locate=lambda _request: found)

    def test_a_rule_of_the_storage_names_repository_and_ref(self) -> None:
        def locate(request: ReadRequest) -> Location | None:
            _, _, repo, ref, rest = request.path.split("/", 4)
            return Location(repo, ref, f"/{rest}")

        place = vectors.REQUESTS["places"]["own"]
        own = place.split("/")[2:]
        guarding = gate(locate=locate)
        self.assertEqual(check(guarding, "GET", f"{place}/v1/x"), "/v1/x")
        self.assertEqual(check(guarding, "GET", f"/r/other/{own[1]}/v1/x"), "repository_mismatch")
        self.assertEqual(check(guarding, "GET", f"/r/{own[0]}/other/v1/x"), "ref_mismatch")
        # The framework routes by the whole path, so a write route in it counts.
        self.assertEqual(check(guarding, "POST", f"/shards/{own[0]}/{own[1]}/v1/x"), "insufficient_scope")

    def test_a_rule_that_names_less_opens_nothing(self) -> None:
        nobody: Any = None
        less = (None, True, ("a", "b"), Location("x", nobody), Location(nobody, "x"), Location("a", "b", "//"))
        for found in less:
            with self.subTest(found):
                self.assertEqual(check(self.located(found), "GET", "/v1/x"), "not_found")

    def test_one_tenant_needs_no_names(self) -> None:
        guarding = gate(isolation="none")
        self.assertEqual(check(guarding, "GET", "/r/v1/x"), "/v1/x")
        self.assertEqual(check(guarding, "GET", "/other/v1/x"), "not_found")
        self.assertEqual(check(guarding, "POST", "/r/v1/shards"), "insufficient_scope")

    def test_rows_of_the_operator_demand_write(self) -> None:
        rules = ScopeRules([WriteRule(["POST"], "/v1/locks/*"), WriteRule("unsafe", "/admin/**")])
        guarding = gate(isolation="none", rules=rules)
        for target in ("/r/v1/locks/x", "/r/V1/LOCKS/x", "/r/admin", "/r/Admin/a/b"):
            self.assertEqual(check(guarding, "POST", target), "insufficient_scope")
        for target in ("/r/v1/locks", "/r/v1/locks/x/y", "/r/administrator"):
            self.assertEqual(check(guarding, "POST", target), target[2:])

    def test_an_admitted_request_tells_what_it_wanted(self) -> None:
        token = vectors.REQUESTS["tokens"]["write"]
        request = Request("PUT", "/r/v1/x?a=b", [("Authorization", f"Bearer {token}")])
        checked = gate(isolation="none").check(request)
        assert isinstance(checked, Admission)
        self.assertEqual(
            (checked.required_scope, checked.prefix, checked.path, checked.query), ("write", "/r", "/v1/x", "?a=b")
        )


if __name__ == "__main__":
    unittest.main()

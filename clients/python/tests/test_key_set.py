"""Which published keys are trusted, and how much is remembered of tokens."""

from __future__ import annotations

import hashlib
import json
import unittest
from typing import Any

import vectors
from latchkey_verify.base64url import encode
from latchkey_verify import read_key_set
from latchkey_verify.remembered import Remembered

ES, ED = vectors.REQUESTS["jwks"]["keys"]


def named(jwk: dict[str, Any], **change: Any) -> dict[str, Any]:
    """The key with its own thumbprint as id, whatever was changed."""
    changed = {**jwk, **change}
    members = {name: changed[name] for name in ("crv", "kty", "x", "y") if name in jwk}
    text = json.dumps(members, separators=(",", ":"))
    return {**changed, "kid": encode(hashlib.sha256(text.encode()).digest())}


class PublishedKeys(unittest.TestCase):
    def test_a_good_key_is_kept(self) -> None:
        self.assertEqual(set(read_key_set({"keys": [ES, named(ED)]})), {ES["kid"], ED["kid"]})

    def test_every_other_one_is_left_out_and_its_neighbours_stay(self) -> None:
        wrong: dict[str, Any] = {
            "another kid": {**ES, "kid": ED["kid"]},
            "a private key": {**ES, "d": None},
            "padding": named(ES, x=ES["x"] + "="),
            "a space": named(ED, x=" " + ED["x"]),
            "leading zeros": named(ES, x="AAAA" + ES["x"]),
            "another last letter": named(ED, x=ED["x"][:-1] + chr(ord(ED["x"][-1]) + 1)),
            "too short": named(ES, y=ES["y"][:-4]),
            "not on the curve": named(ES, y=ES["x"]),
            "no coordinate": named(ES, x=7),
            "another algorithm": {**ES, "alg": "ES384"},
            "the algorithm of the other": {**ES, "alg": "EdDSA"},
            "another family": named(ES, kty="OKP"),
            "a list": [ES],
            "nothing": None,
        }
        for name, jwk in wrong.items():
            with self.subTest(name):
                good = ES if name in ("a space", "another last letter") else ED
                self.assertEqual(set(read_key_set({"keys": [jwk, good]})), {good["kid"]})

    def test_what_is_no_document_of_keys_has_none(self) -> None:
        documents: list[Any] = [None, [], {}, {"keys": None}, {"keys": {"0": ES}}, "x", 7]
        for document in documents:
            self.assertEqual(read_key_set(document), {})


class Memory(unittest.TestCase):
    def test_what_was_not_used_for_longest_is_forgotten_first(self) -> None:
        remembered: Remembered[str, int] = Remembered(2)
        for at, name in enumerate("ab"):
            remembered.put(name, at)
        remembered.get("a")
        remembered.put("c", 2)
        self.assertEqual([remembered.get(name) for name in "abc"], [0, None, 2])


if __name__ == "__main__":
    unittest.main()

"""A refusal goes over the wire without secrets, in headers that nobody can break out of."""

from __future__ import annotations

import json
import unittest

from latchkey_verify import Refusal
from latchkey_verify.answer import answer_refusal

TOKEN = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl"
HUB_TOKEN = "lk_" + "a" * 49


class Answers(unittest.TestCase):
    def test_whatever_has_the_shape_of_a_secret_is_cut_out(self) -> None:
        for secret in (TOKEN, HUB_TOKEN, "Bearer abcdefgh12345678", HUB_TOKEN.replace("_", "%255F")):
            with self.subTest(secret):
                answer = answer_refusal(Refusal("ref_mismatch", f"It is for {secret}, not for this."), [])
                everything = repr(answer.headers) + answer.body.decode()
                self.assertNotIn(secret[-20:], everything)
                self.assertIn("It is for ", everything)

    def test_a_name_cannot_break_out_of_a_header(self) -> None:
        sentence = 'It is for é\r\nSet-Cookie: a=b\u2028"\\\ud800 only.'
        answer = answer_refusal(Refusal("ref_mismatch", sentence), [])
        for name, value in answer.headers:
            self.assertRegex(name + value, "^[\x20-\x7e]+$")
        challenge = dict(answer.headers)["WWW-Authenticate"]
        self.assertEqual(challenge.count('"'), 6)
        self.assertIn("%C3%A9%0D%0ASet-Cookie", challenge)
        self.assertEqual(json.loads(answer.body)["code"], "ref_mismatch")

    def test_a_client_that_names_plain_json_alone_gets_it(self) -> None:
        refusal = Refusal("gate_not_ready", "Not now.", retry_after_seconds=5)
        for accept, media_type in (
            ("application/json", "application/json"),
            ("application/json, application/problem+json", "application/problem+json"),
            ("*/*", "application/problem+json"),
        ):
            headers = dict(answer_refusal(refusal, [("accept", accept)]).headers)
            self.assertEqual((headers["Content-Type"], headers["Retry-After"]), (media_type, "5"))

    def test_what_would_have_to_be_granted_is_told(self) -> None:
        answer = answer_refusal(Refusal("insufficient_scope", "No.", missing="write"), [])
        self.assertEqual(json.loads(answer.body)["missing"], "write")


if __name__ == "__main__":
    unittest.main()

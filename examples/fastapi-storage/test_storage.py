"""The storage, tested with a fake hub: run `python -m unittest` in this folder."""

from __future__ import annotations

import unittest
from typing import get_args

from fastapi.testclient import TestClient
from httpx import Response
from latchkey_verify import Gate
from latchkey_verify.testing import Flaw, fake_hub
from storage import storage

BERT = "models/acme/bert"


class Storage(unittest.TestCase):
    def setUp(self) -> None:
        self.hub = fake_hub(cas_url="https://cas.example/r/{repo}/{ref}")
        app = storage(Gate(self.hub.gate_options()))
        self.client = TestClient(app, base_url="https://cas.example")

    def ask(self, method: str, path: str, token: str = "", content: bytes = b"") -> Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        response: Response = self.client.request(method, path, headers=headers, content=content)
        return response

    def put(self, name: str, content: bytes, ref: str = "main") -> None:
        token = self.hub.token(scope="write", repository=BERT, ref=ref)
        path = f"{self.hub.path_of(BERT, ref)}/files/{name}"
        self.assertEqual(self.ask("PUT", path, token, content).status_code, 201)

    def assert_shows(self, token: str, files: dict[str, bytes], path: str = "") -> None:
        path = f"{path or self.hub.path_of(BERT)}/files"
        self.assertEqual(self.ask("GET", path, token).json(), sorted(files))
        for name, content in files.items():
            self.assertEqual(self.ask("GET", f"{path}/{name}", token).content, content)

    def assert_rejects(self, status: int, code: str, response: Response) -> None:
        self.assertEqual((response.status_code, response.json()["code"]), (status, code))

    def test_a_write_token_stores_a_file_and_a_read_token_reads_and_lists_it(self) -> None:
        self.put("a", b"one")
        self.assert_shows(self.hub.token(), {"a": b"one"})
        self.put("a", b"two")
        self.assert_shows(self.hub.token(), {"a": b"two"})

    def test_a_request_without_a_token_is_rejected(self) -> None:
        path = f"{self.hub.path_of(BERT)}/files/a"
        self.assert_rejects(401, "storage_token_missing", self.ask("GET", path))

    def test_a_read_token_cannot_write_and_a_write_token_can_read(self) -> None:
        self.put("a", b"one")
        path = f"{self.hub.path_of(BERT)}/files/a"
        self.assert_rejects(403, "insufficient_scope", self.ask("PUT", path, self.hub.token(), b"x"))
        self.assert_shows(self.hub.token(scope="write"), {"a": b"one"})

    def test_a_token_of_another_repository_is_rejected_and_sees_nothing(self) -> None:
        self.put("a", b"one")
        token = self.hub.token(repository="models/acme/gpt")
        path = f"{self.hub.path_of(BERT)}/files/a"
        self.assert_rejects(403, "repository_mismatch", self.ask("GET", path, token))
        self.assert_shows(token, {}, self.hub.path_of("models/acme/gpt"))

    def test_a_token_of_another_ref_is_rejected_and_sees_nothing(self) -> None:
        self.put("a", b"one")
        token = self.hub.token(ref="dev")
        path = f"{self.hub.path_of(BERT)}/files/a"
        self.assert_rejects(403, "ref_mismatch", self.ask("GET", path, token))
        self.assert_shows(token, {}, self.hub.path_of(BERT, "dev"))

    def test_a_fork_sees_older_content_of_its_origin_and_no_newer_content(self) -> None:
        self.put("old", b"one")
        fork = self.hub.token(ref="fork", inherited=["main"])
        self.put("old", b"two")
        self.put("new", b"three")
        self.assert_shows(fork, {"old": b"one"}, self.hub.path_of(BERT, "fork"))
        self.put("of the fork", b"four", ref="fork")
        self.assert_shows(self.hub.token(), {"old": b"two", "new": b"three"})

    def test_a_revoked_token_is_rejected(self) -> None:
        token = self.hub.token()
        self.assert_shows(token, {})
        self.hub.revoke(token=token)
        path = f"{self.hub.path_of(BERT)}/files"
        self.assert_rejects(401, "storage_token_invalid", self.ask("GET", path, token))
        self.assert_shows(self.hub.token(), {})

    def test_an_expired_token_is_rejected(self) -> None:
        token = self.hub.token(expires_in=60)
        self.hub.clock.advance(60 + 31)
        path = f"{self.hub.path_of(BERT)}/files"
        self.assert_rejects(401, "storage_token_invalid", self.ask("GET", path, token))

    def test_a_repository_made_again_shows_no_old_content(self) -> None:
        self.put("a", b"one")
        token, path = self.hub.token(), f"{self.hub.path_of(BERT)}/files"
        self.hub.delete_repository(BERT)
        self.assert_rejects(401, "storage_token_invalid", self.ask("GET", path, token))
        self.assert_shows(self.hub.token(), {})

    def test_a_token_with_a_flaw_is_rejected(self) -> None:
        path = f"{self.hub.path_of(BERT)}/files"
        for flaw in get_args(Flaw):
            with self.subTest(flaw):
                token = self.hub.token(flaw=flaw)
                self.assert_rejects(401, "storage_token_invalid", self.ask("GET", path, token))


if __name__ == "__main__":
    unittest.main()

"""The examples of the documentation run, admit the right token and no other, and show no content of other refs."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import test_asgi
import test_wsgi
from hub import PREFIX, Hub
from latchkey_verify.asgi import Message
from vectors import Vector

_ROOT = Path(__file__).resolve().parents[3]
_DOCUMENTS = ("clients/python/README.md", "docs/guides/python.md")
_DEV = {"name": "refs/heads/dev", "uid": "devuid"}


def examples() -> list[tuple[str, str]]:
    """Each Python block, with the place where it stands."""
    found = []
    for name in _DOCUMENTS:
        text = (_ROOT / name).read_text("utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        found += [(f"{name} {at}", block) for at, block in enumerate(blocks)]
    return found


class Examples(unittest.TestCase):
    def setUp(self) -> None:
        self.hub = Hub()
        self.addCleanup(self.hub.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_block(self, place: str, block: str) -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "example"}
        exec(compile(block.replace("https://hub.example", self.hub.url), place, "exec"), names)
        return names

    def status(self, names: dict[str, Any], token: str, kind: str) -> int:
        headers = [("Authorization", f"Bearer {token}")]
        vector = Vector("", "GET", f"{PREFIX}/v1/chunks/abc", headers, 200, None, None, None)
        if kind == "may_pass":
            return 200 if names["may_pass"](vector.method, vector.target, headers) else 401
        if kind == "wsgi":
            return test_wsgi.call(names["app"], test_wsgi.environ_of(vector))[0]
        return self.ask(names, "GET", vector.target, token)[0]

    def ask(
        self, names: dict[str, Any], method: str, target: str, token: str, body: bytes = b""
    ) -> tuple[int, bytes]:
        headers = [("Authorization", f"Bearer {token}")]
        vector = Vector("", method, target, headers, 200, None, None, None)
        extras = {"root_path": "", "scheme": "https", "server": ("cas.example", 443), "http_version": "1.1"}

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        sent = test_asgi.call(names["app"], test_asgi.scope_of(vector, **extras), receive)
        return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:])

    def test_every_example_admits_the_right_token_and_no_other(self) -> None:
        kinds = set()
        for place, block in examples():
            with self.subTest(place):
                names = self.run_block(place, block)
                if "fake_hub" in names:
                    continue
                kind = "may_pass" if "may_pass" in names else "wsgi" if "WsgiGuard" in names else "asgi"
                kinds.add(kind)
                token = self.hub.sign()
                # The storage of the guide has no such chunk.
                admitted = 404 if "put_chunk" in names else 200
                self.assertEqual(self.status(names, token, kind), admitted)
                self.assertEqual(self.status(names, token[:-4] + "AAAA", kind), 401)
        self.assertEqual(kinds, {"may_pass", "wsgi", "asgi"})
        self.assertEqual(len(examples()), 4)

    def test_the_storage_of_the_guide_shows_each_token_its_own_content_and_what_it_inherits(self) -> None:
        [(place, block)] = [each for each in examples() if "put_chunk" in each[1]]
        names = self.run_block(place, block)
        content = b"a chunk"
        chunk = f"/v1/chunks/{hashlib.sha256(content).hexdigest()}"

        def put(token: str, body: bytes = content) -> int:
            return self.ask(names, "PUT", PREFIX + chunk, token, body)[0]

        def get(prefix: str = PREFIX, **claims: Any) -> int:
            status, body = self.ask(names, "GET", prefix + chunk, self.hub.sign(**claims))
            self.assertEqual(body == content, status == 200)
            return status

        def get_by_dev(*sees: int) -> int:
            inherited = [{"uid": "mainuid", "before": before} for before in sees]
            return get("/r/bertuid/devuid", ref=_DEV, sees=inherited)

        before = time.time_ns() // 1_000_000
        self.assertEqual(put(self.hub.sign()), 403)
        self.assertEqual(put(self.hub.sign(scope="write"), b"another chunk"), 400)
        self.assertEqual(get(), 404)
        self.assertEqual(put(self.hub.sign(scope="write")), 200)
        after = time.time_ns() // 1_000_000 + 1
        time.sleep(0.01)
        self.assertEqual(put(self.hub.sign(scope="write", jti="again")), 200)
        self.assertEqual(get(), 200)
        self.assertEqual(get_by_dev(), 404)
        self.assertEqual(get_by_dev(before), 404)
        self.assertEqual(get_by_dev(after), 200)
        self.assertEqual(get_by_dev(before, after), 200)
        other = {"type": "model", "id": "acme/gpt", "uid": "gptuid"}
        self.assertEqual(get("/r/gptuid/mainuid", repo=other), 404)

    def test_the_storage_of_the_guide_shows_a_fork_no_content_of_newer_tokens(self) -> None:
        [(place, block)] = [each for each in examples() if "put_chunk" in each[1]]
        names = self.run_block(place, block)
        content = b"a late chunk"
        chunk = f"/v1/chunks/{hashlib.sha256(content).hexdigest()}"
        ahead = time.time_ns() // 1_000_000 + 60_000
        writing = self.hub.sign(scope="write", as_of=ahead)
        self.assertEqual(self.ask(names, "PUT", PREFIX + chunk, writing, content)[0], 200)
        for before, status in [(ahead, 404), (ahead + 1, 200)]:
            token = self.hub.sign(ref=_DEV, sees=[{"uid": "mainuid", "before": before}])
            self.assertEqual(self.ask(names, "GET", "/r/bertuid/devuid" + chunk, token)[0], status)


if __name__ == "__main__":
    unittest.main()

"""The examples of the documentation run, admit the right token and no other."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from typing import Any

import test_asgi
import test_wsgi
from hub import PREFIX, Hub
from vectors import Vector

_ROOT = Path(__file__).resolve().parents[3]
_DOCUMENTS = ("clients/python/README.md", "docs/verify-anywhere.md")


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

    def status(self, names: dict[str, Any], token: str, kind: str) -> int:
        headers = [("Authorization", f"Bearer {token}")]
        vector = Vector("", "GET", f"{PREFIX}/v1/chunks/abc", headers, 200, None, None, None)
        if kind == "may_pass":
            return 200 if names["may_pass"](vector.method, vector.target, headers) else 401
        if kind == "wsgi":
            return test_wsgi.call(names["app"], test_wsgi.environ_of(vector))[0]
        extras = {"root_path": "", "scheme": "https", "server": ("cas.example", 443), "http_version": "1.1"}
        status: int = test_asgi.call(names["app"], test_asgi.scope_of(vector, **extras))[0]["status"]
        return status

    def test_every_example_admits_the_right_token_and_no_other(self) -> None:
        kinds = set()
        for place, block in examples():
            with self.subTest(place):
                names: dict[str, Any] = {"__name__": "example"}
                exec(compile(block.replace("https://hub.example", self.hub.url), place, "exec"), names)
                kind = "may_pass" if "may_pass" in names else "wsgi" if "WsgiGuard" in names else "asgi"
                kinds.add(kind)
                token = self.hub.token()
                self.assertEqual(self.status(names, token, kind), 200)
                self.assertEqual(self.status(names, token[:-4] + "AAAA", kind), 401)
        self.assertEqual(kinds, {"may_pass", "wsgi", "asgi"})
        self.assertGreaterEqual(len(examples()), 4)


if __name__ == "__main__":
    unittest.main()

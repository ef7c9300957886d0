"""The examples of the documentation run as they are, and every public name is described."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path
from unittest import mock

from test_upload import CONTENT, FileCase

_ROOT = Path(__file__).resolve().parents[3]
_DOCUMENTS = ("clients/python-client/README.md", "docs/guides/python-client.md")


def examples() -> list[tuple[str, str]]:
    """Each Python block, with the place where it stands."""
    found = []
    for name in _DOCUMENTS:
        text = (_ROOT / name).read_text("utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        found += [(f"{name} {at}", block) for at, block in enumerate(blocks)]
    return found


class Documents(FileCase):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        environment = mock.patch.dict(os.environ, {"LATCHKEY_HUB_TOKEN": "lk_from-environment"})
        environment.start()
        self.addCleanup(environment.stop)

    def printed(self, place: str, block: str) -> str:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block.replace("https://hub.example", self.world.hub.url), place, "exec"), {})
        return output.getvalue()

    def test_every_example_does_what_the_text_says(self) -> None:
        for place, block in examples():
            with self.subTest(place):
                self.setUp()
                if "LatchkeyError" in block:
                    self.world.hub.answer = lambda _: (403, {}, b'{"code":"permission_denied","detail":"No."}')
                    self.assertEqual(self.printed(place, block), "permission_denied No.\n")
                    continue
                output = self.printed(place, block)
                if "download" in block:
                    self.assertEqual(Path("copy.bin").read_bytes(), CONTENT)
                if "HttpxAuth" in block:
                    self.assertEqual(output, "200\n200\n")
                if "upload_id" in block:
                    self.assertIn("upload=nightly-17", self.world.storage.requests[-1].target)
                    self.assertEqual(output.splitlines()[-1], f"{len(CONTENT)} of {len(CONTENT)} bytes")
                self.assertIn(CONTENT, self.storage.files.values())
                self.assertEqual({each.token for each in self.world.hub.requests}, {"lk_from-environment"})
        self.assertEqual(len(examples()), 6)

"""One gate at each moment of vectors/published.json, with the documents over a real connection."""

from __future__ import annotations

import base64
import json
import unittest
from collections.abc import Iterable
from typing import Any

import vectors
from hub import HEAD_KEYS, KEYS, REVOCATIONS, Hub, gate_of
from latchkey_verify import Rejection, Request


class PublishingHub(Hub):
    """It publishes the documents of a moment, or does not respond."""

    def __init__(self) -> None:
        super().__init__()
        self.documents: dict[str, Any] | None = None

    def respond(self, path: str) -> tuple[int, dict[str, str], Iterable[bytes]]:
        if self.documents is None:
            return 503, {"Content-Length": "0"}, ()
        body = self._body(self.documents, path)
        return 200, {"Content-Length": str(len(body))}, (body,)

    def _body(self, documents: dict[str, Any], path: str) -> bytes:
        if path == KEYS:
            return json.dumps(documents["jwks"]).encode()
        if path == HEAD_KEYS:
            return json.dumps(documents["revocationKeys"]).encode()
        if path == REVOCATIONS:
            return str(documents["head"]).encode()
        return base64.b64decode(documents["list"])


class Published(unittest.TestCase):
    document = vectors.read("published.json")

    def test_one_gate_admits_at_each_moment_the_tokens_that_the_vectors_name(self) -> None:
        hub = PublishingHub()
        self.addCleanup(hub.close)
        at = 0
        gate = gate_of(
            hub,
            issuer=self.document["issuer"],
            leeway_seconds=self.document["leewaySeconds"],
            failures_per_minute=0,
            clock=lambda: int(self.document["now"]) + at,
        )
        # It asks when this test says so.
        gate.close()
        for moment in self.document["moments"]:
            at, hub.documents = moment["at"], moment["documents"]
            gate.refresh()
            for name, verdict in moment["tokens"].items():
                with self.subTest(moment["name"], token=name):
                    headers = [("Authorization", f"Bearer {self.document['tokens'][name]}")]
                    target = f"{self.document['prefix']}/v1/chunks/abc"
                    checked = gate.check(Request("GET", target, headers))
                    found = checked.refusal.code if isinstance(checked, Rejection) else "admitted"
                    self.assertEqual(found, verdict)
        self.assertGreater(len(self.document["moments"]), 10)

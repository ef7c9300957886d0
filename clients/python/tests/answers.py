"""Whether a server answered a vector as it is owed."""

from __future__ import annotations

import json
import re
import unittest
from dataclasses import dataclass

from vectors import Vector

# RFC 6750 §3.1
_ERRORS = {400: "invalid_request", 401: "invalid_token", 403: "insufficient_scope"}
_TOKENS = re.compile(r"eyJ[\w-]{8,}\.[\w.-]+|lk_\w{49}", re.ASCII)


@dataclass(frozen=True)
class Got:
    """What a client got, and what the application heard; None when it was not called."""

    status: int
    headers: dict[str, str]
    body: bytes
    heard: tuple[dict[str, str], str] | None


def assert_owed(test: unittest.TestCase, vector: Vector, got: Got) -> None:
    if vector.code is None:
        assert vector.grant is not None
        test.assertEqual((got.status, got.heard), (200, (vector.grant, vector.gets)))
        return
    test.assertEqual(got.status, vector.status)
    test.assertIsNone(got.heard, "the application was called")
    test.assertEqual(got.headers["content-type"], "application/problem+json")
    test.assertEqual(got.headers["cache-control"], "no-store")
    test.assertRegex(got.headers["x-request-id"], "^[a-z2-7]{26}$")
    if vector.method != "HEAD":
        problem = json.loads(got.body)
        test.assertEqual(problem["code"], vector.code)
        test.assertEqual(problem["requestId"], got.headers["x-request-id"])
        test.assertEqual(got.headers["content-length"], str(len(got.body)))
    _assert_challenge(test, vector, got.headers.get("www-authenticate"))
    everything = repr((got.headers, got.body))
    for text in (vector.target, *(value for _name, value in vector.headers)):
        for token in _TOKENS.findall(text):
            test.assertNotIn(token, everything)


def _assert_challenge(test: unittest.TestCase, vector: Vector, given: str | None) -> None:
    error = _ERRORS.get(vector.status)
    if vector.code == "storage_token_missing":
        test.assertEqual(given, 'Bearer realm="latchkey"')
    elif error is None:
        test.assertIsNone(given)
    else:
        test.assertIn(f'Bearer realm="latchkey", error="{error}", error_desc', given or "")

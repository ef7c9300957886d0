"""Compares the verifier with the shared vectors and prints every disagreement."""

import json

import run_revocations
from storage_request import check, is_normal, wants
from verify import Refused, read_keys, verify_token


def outcome(check, *arguments, **named):
    try:
        return check(*arguments, **named)
    except Refused as refused:
        return str(refused)


def compared(vectors):
    """What was checked, what came out, and what should have."""
    trust = {
        "keys": read_keys(vectors.get("jwks", {"keys": []})),
        "issuer": vectors.get("issuer"),
        "now": vectors.get("now"),
        "leeway": vectors.get("leewaySeconds"),
    }
    if "histories" in vectors:
        yield from run_revocations.compared(vectors)
    for case in vectors.get("cases", []):
        found = outcome(verify_token, case["token"], audience=vectors["audience"], **trust)
        yield case["name"], found, case["claims"] if case["accepted"] else case["reason"]
    for case in vectors.get("paths", []):
        yield f"path {case['path']}", is_normal(case["path"]), case["normal"]
    for case in vectors.get("scopes", []):
        yield f"{case['method']} {case['path']}", wants(case["method"], case["path"]), case["wants"]
    for name, method, place, path, _status, code in vectors.get("matrix", []):
        target, token = vectors["places"][place] + path, vectors["tokens"][name]
        found = outcome(
            check, method, target, token, cas_url=vectors["casUrl"], entries={}, **trust
        )
        is_admitted = isinstance(found, tuple)
        expected = (path or "/") if code is None else code
        yield f"{name} {method} {target}", found[1] if is_admitted else found, expected


def main(files):
    disagreements = 0
    for file in files:
        with open(file, encoding="utf-8") as opened:
            results = list(compared(json.load(opened)))
        wrong = [(name, found, expected) for name, found, expected in results if found != expected]
        for name, found, expected in wrong:
            print(f"{name!a}: {found!a}, expected {expected!a}")
        print(f"{file}: {len(results)} checked, {len(wrong)} disagreements")
        disagreements += len(wrong) + (not results)
    return 1 if disagreements or not files else 0

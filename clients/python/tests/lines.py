"""Answers questions about tokens and requests, one JSON object in a line each, for the comparison with the gate."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

from latchkey_verify import Gate, Grant, Options, Rejection, Request, ScopeRules
from latchkey_verify import WriteRule, read_key_set
from latchkey_verify import base64url
from latchkey_verify.javascript import parse_json
from latchkey_verify.key_set import KeySet
from latchkey_verify.revocation_head import VerifiedHead, verify_head
from latchkey_verify.revocation_source import FixedRevocations
from latchkey_verify.revocation_list import list_hash, read_revocation_list

Json = dict[str, Any]


class LineVerifier:
    gate: Gate
    issuer: str
    head_keys: KeySet

    def answer(self, question: Json) -> Json:
        match question["kind"]:
            case "gate":
                return self.set_gate(question)
            case "request":
                return self.request(question)
            case "head":
                return self.head(question["head"])
            case "list":
                return list_in(base64.b64decode(question["bytes"]))
            case _:
                return {"kids": kids_in(question["document"])}

    def set_gate(self, question: Json) -> Json:
        rules = question["rules"]
        self.gate = Gate(
            Options(
                keys=read_key_set(question["jwks"]),
                issuer=question["issuer"],
                revocations=FixedRevocations(
                    read_revocation_list(base64.b64decode(question["list"]))
                ),
                cas_url=question["casUrl"],
                isolation=question["isolation"],
                leeway_seconds=question["leewaySeconds"],
                rules=ScopeRules(
                    [WriteRule(rule["methods"], rule["path"]) for rule in rules["write"]],
                    rules["relaxOtherMethods"],
                    rules["everyUnsafeMethodWrites"],
                ),
                failures_per_minute=0,
                clock=lambda: int(question["now"]),
            )
        )
        self.issuer = question["issuer"]
        self.head_keys = read_key_set(question["headJwks"])
        return {}

    def request(self, question: Json) -> Json:
        names_and_values = question["headers"]
        headers = list(zip(names_and_values[::2], names_and_values[1::2]))
        checked = self.gate.check(Request(question["method"], question["target"], headers))
        if isinstance(checked, Rejection):
            refusal = checked.refusal
            reason = {} if refusal.reason is None else {"reason": refusal.reason}
            return {"status": refusal.status, "code": refusal.code, **reason}
        return {
            "status": 200,
            "requiredScope": checked.required_scope,
            "path": checked.path,
            "prefix": checked.prefix,
            "query": checked.query,
            "grant": shown(checked.grant),
        }

    def head(self, text: str) -> Json:
        verified = verify_head(text, self.head_keys, self.issuer)
        if isinstance(verified, VerifiedHead):
            return {"ok": True, "head": vars(verified.head), "kid": verified.kid}
        return {"ok": False, "reason": verified}


def shown(grant: Grant) -> Json:
    return {
        "kid": grant.kid,
        "tokenId": grant.token_id,
        "hubToken": grant.hub_token,
        "subject": grant.subject,
        "repositoryUid": grant.repository_uid,
        "namespace": grant.namespace,
        "refUids": grant.ref_uids,
        "asOf": grant.as_of,
        "scope": grant.scope,
        "repository": grant.repository,
        "ref": grant.ref,
        "refUid": grant.ref_uid,
        "commit": grant.commit,
        "sees": [vars(seen) for seen in grant.sees],
        "issuedAt": grant.issued_at,
        "expiresAt": grant.expires_at,
    }


def list_in(data: bytes) -> Json:
    entries = read_revocation_list(data)
    pairs = entries and [[base64url.encode(key), number] for key, number in entries.items()]
    return {"hash": list_hash(data), "entries": [] if entries == {} else pairs}


def kids_in(document: str) -> list[str]:
    try:
        return sorted(read_key_set(parse_json(document.removeprefix("\ufeff"))))
    except ValueError:
        return []


if __name__ == "__main__":
    verifier = LineVerifier()
    for line in sys.stdin:
        print(json.dumps(verifier.answer(json.loads(line))), flush=True)

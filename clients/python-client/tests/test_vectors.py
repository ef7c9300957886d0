"""The cases of vectors/client.json, with threads and with asyncio tasks as callers."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import threading
import traceback
import unittest
from pathlib import Path
from typing import Any

from latchkey_client import Client, LatchkeyError
from scripted import Network, ScriptedRuntime

_FILE = Path(__file__).resolve().parents[3] / "vectors" / "client.json"
DOCUMENT: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))

Outcome = dict[str, Any]

_NAMES = {
    "hubUrl": "hub",
    "repo": "repo",
    "revision": "revision",
    "allowPlainHttp": "allow_plain_http",
    "refreshBufferSeconds": "refresh_buffer_seconds",
    "retryTimeoutSeconds": "retry_timeout_seconds",
}


class CaseRun:
    """One case, with threads as callers."""

    def __init__(self, test: unittest.TestCase, case: dict[str, Any]) -> None:
        self.test = test
        token = DOCUMENT["token"]
        self.network = Network(token["casUrl"], token["lifetimeSeconds"])
        self.runtime = ScriptedRuntime(self.network, DOCUMENT["now"], case.get("skewSeconds", 0))
        self._options = {**DOCUMENT["options"], **case.get("options", {})}
        self._clients: dict[str, Client] = {}
        #: The hub of each hub token.
        self._hub_tokens: dict[str, str] = {}

    def steps(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            self._step(step)
            self._check_tokens()

    def _step(self, step: dict[str, Any]) -> None:
        match step:
            case {"hub": responses}:
                self.network.hub = list(responses)
            case {"storage": responses}:
                self.network.storage = list(responses)
            case {"advance": seconds}:
                until = self.runtime.steady + seconds
                while self.runtime.pass_next(until):
                    pass
                self.runtime.steady = until
            case {"setClock": seconds}:
                self.runtime.set_skew(seconds)
            case {"revoke": token}:
                self.network.revoked.add(token)
            case {"close": name}:
                self._client(name).close()
            case {"open": name, "options": options}:
                opened = self._opened(name, {**self._options, **options})
                self._compare(opened if isinstance(opened, dict) else {}, step.get("outcome", {}))
            case {"count": counts}:
                self._count(self.network.to_hub, counts.get("hub"))
                self._count(self.network.to_storage, counts.get("storage"))
            case {"repeat": rounds, "steps": steps}:
                for _ in range(rounds):
                    self.steps(steps)
            case _:
                self._call(step)

    def _call(self, step: dict[str, Any]) -> None:
        client = self._client(step.get("client", "client"))
        begin, sent_before = self.runtime.steady, len(self.network.seen)
        outcomes = self.outcomes(client, step, step.get("concurrently", 1))
        for outcome in outcomes:
            alternative = step.get("alternative", step["outcome"])
            wanted = alternative if outcome.get("code") == alternative.get("code") else step["outcome"]
            # An error has a status, too.
            self.test.assertEqual(outcome.get("code"), wanted.get("code"))
            self._compare(outcome, wanted)
        least, most = step.get("took", (0, 600))
        self.test.assertTrue(least <= self.runtime.steady - begin <= most)
        if "sends" in step:
            sent = self.network.seen[sent_before:]
            self.test.assertEqual(len(sent), len(step["sends"]))
            for request, wanted in zip(sent, step["sends"]):
                got = {
                    **{"method": request.method, "url": request.url, "body": request.body},
                    "authorization": request.headers.get("authorization"),
                }
                self._compare(got, {name: value for name, value in wanted.items() if name != "headers"})
                self._compare(request.headers, wanted.get("headers", {}))

    def outcomes(self, client: Client, step: dict[str, Any], count: int) -> list[Outcome]:
        """The outcomes of so many calls at once; time passes when all of them wait."""
        found: list[Outcome] = []

        def call() -> None:
            try:
                found.append(self._outcome(self._call_in_thread(client, step)))
            except BaseException as error:
                found.append(self._outcome_of(error))
            self.runtime.add_waiting(1)

        self.runtime.waiting = 0
        threads = [threading.Thread(target=call, daemon=True) for _ in range(count)]
        # One after the other: thousands that are ready to run would keep each other from it.
        for at, thread in enumerate(threads):
            thread.start()
            self.runtime.until_all_wait(at + 1)
        while len(found) < count:
            self._pass_next()
            self.runtime.until_all_wait(count)
        for thread in threads:
            thread.join()
        return found

    def _pass_next(self) -> None:
        if not self.runtime.pass_next():
            raise TimeoutError("the call does not end")

    def _call_in_thread(self, client: Client, step: dict[str, Any]) -> Any:
        if "token" in step:
            return client.token(step["token"])
        return client.request(**_request_of(step["storageRequest"]))

    def _outcome(self, result: Any) -> Outcome:
        if hasattr(result, "status"):
            return {"status": result.status, "body": result.content.decode()}
        return {
            "accessToken": result.access_token.reveal(),
            "scope": result.scope,
            "exp": result.exp,
            "casUrl": result.cas_url,
        }

    def _outcome_of(self, error: BaseException) -> Outcome:
        if not isinstance(error, LatchkeyError):
            return {"code": "".join(traceback.format_exception(error))}
        shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
        text = f"{error!r}{error}{error.__dict__}{shown}{pickle.dumps(error)!r}"
        for token in (*self._hub_tokens, *self.network.homes):
            if token.strip():
                self.test.assertNotIn(token, text)
        return {
            "code": error.code,
            "status": error.status,
            "message": error.message,
            "requestId": error.request_id,
            "retryAfterSeconds": error.retry_after_seconds,
        }

    def _client(self, name: str) -> Client:
        client = self._clients.get(name) or self._opened(name, self._options)
        assert isinstance(client, Client), client
        return client

    def _opened(self, name: str, options: dict[str, Any]) -> Client | Outcome:
        token = options.get("hubToken")
        tokens = [] if token is None else list(token) if isinstance(token, list) else [token]
        for each in tokens:
            self._hub_tokens[each] = options["hubUrl"]
        source = (lambda: tokens.pop(0) if len(tokens) > 1 else tokens[0]) if isinstance(token, list) else token
        given = {_NAMES[key]: value for key, value in options.items() if key != "hubToken"}
        try:
            client = Client(**given, hub_token=source, _runtime=self.runtime, _chance=lambda: 0.5)
        except LatchkeyError as error:
            return self._outcome_of(error)
        self._clients[name] = client
        return client

    def _compare(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        self.test.assertEqual({name: found.get(name) for name in wanted}, wanted)

    def _count(self, count: int, limits: int | list[int] | None) -> None:
        least, most = (0, count) if limits is None else (limits, limits) if isinstance(limits, int) else limits
        self.test.assertTrue(least <= count <= most, f"{count} requests")

    def _check_tokens(self) -> None:
        homes = [each for each in (*self._hub_tokens.items(), *self.network.homes.items()) if each[0]]
        for seen in self.network.seen:
            headers = dict(seen.headers)
            for token, home in homes:
                if headers.get("authorization") == f"Bearer {token}":
                    self.test.assertTrue(seen.url.startswith(f"{home.removesuffix('/')}/"), seen.url)
                    del headers["authorization"]
                self.test.assertNotIn(token, f"{seen.url}\n{headers}\n{seen.body}")
        self.network.seen.clear()


class AsyncCaseRun(CaseRun):
    """One case, with asyncio tasks as callers."""

    loop: asyncio.AbstractEventLoop

    def outcomes(self, client: Client, step: dict[str, Any], count: int) -> list[Outcome]:
        return self.loop.run_until_complete(self._outcomes_async(client, step, count))

    async def _outcomes_async(self, client: Client, step: dict[str, Any], count: int) -> list[Outcome]:
        async def call() -> Outcome:
            try:
                return self._outcome(await self._call_in_task(client, step))
            except Exception as error:
                return self._outcome_of(error)
            finally:
                self.runtime.waiting += 1

        self.runtime.waiting = 0
        tasks = [asyncio.create_task(call()) for _ in range(count)]
        await self._until_all_wait(count)
        while not all(task.done() for task in tasks):
            self._pass_next()
            await self._until_all_wait(count)
        return await asyncio.gather(*tasks)

    async def _until_all_wait(self, count: int) -> None:
        while self.runtime.waiting < count:
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def _call_in_task(self, client: Client, step: dict[str, Any]) -> Any:
        if "token" in step:
            return await client.token_async(step["token"])
        return await client.request_async(**_request_of(step["storageRequest"]))


def _request_of(call: dict[str, Any]) -> dict[str, Any]:
    body = call.get("body")
    return {
        "method": call.get("method", "GET"),
        "path": call["path"],
        "headers": call.get("headers"),
        "content": None if body is None else body.encode(),
        "scope": call.get("scope"),
    }


class Vectors(unittest.TestCase):
    def test_a_client_passes_every_case_with_threads(self) -> None:
        # Thousands of threads that wait to run would otherwise wake up all the time.
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1)
        self.addCleanup(threading.stack_size, threading.stack_size(256 * 1024))
        self.run_all(CaseRun)

    def test_a_client_passes_every_case_with_asyncio_tasks(self) -> None:
        AsyncCaseRun.loop = asyncio.new_event_loop()
        self.addCleanup(AsyncCaseRun.loop.close)
        self.run_all(AsyncCaseRun)

    def run_all(self, kind: type[CaseRun]) -> None:
        self.assertGreaterEqual(len(DOCUMENT["cases"]), 210)
        for case in DOCUMENT["cases"]:
            with self.subTest(case["name"]):
                kind(self, case).steps(case["steps"])


if __name__ == "__main__":
    unittest.main()

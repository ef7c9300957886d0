"""Transfers files with `latchkey-client`, over connections that it breaks itself, and prints what came of it."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from pathlib import Path
from typing import Any, Callable

import httpx
import requests

from latchkey_client import Client
from latchkey_client.httpx import HttpxAuth
from latchkey_client.requests import RequestsAuth

given = json.load(sys.stdin)
folder = Path(given["folder"])
content = (folder / "sent").read_bytes()


class Pipe(io.RawIOBase):
    """Cannot seek."""

    def __init__(self) -> None:
        self._rest = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._rest.readinto(buffer)


def breaking(client: Client, at: int) -> Callable[[int, int | None], None]:
    """Ends the connection once so many bytes are on their way."""
    exchanges = []

    def on_progress(done: int, _total: int | None) -> None:
        if done >= at and not exchanges:
            exchanges.extend(client._runtime._exchanges)
            exchanges[0].abort()

    return on_progress


def facts_of(file: Any) -> dict[str, Any]:
    return {"hash": file.hash, "sha256": file.sha256, "size": file.size}


async def by_tasks(client: Client) -> list[Any]:
    uploaded = await client.upload_async(Pipe())
    await client.download_async(uploaded.hash, folder / "by-tasks", sha256=uploaded.sha256)
    async with httpx.AsyncClient(auth=HttpxAuth(client)) as http:
        url = client.token().cas_url
        response = await http.head(f"{url}/v1/files/{uploaded.hash}")
    return [facts_of(uploaded), response.status_code]


with Client(given["hub"], "models/acme/bert", hub_token=given["token"]) as client:
    uploaded = client.upload(folder / "sent", on_progress=breaking(client, len(content) // 2))
    downloaded = client.download(
        uploaded.hash, folder / "by-threads", on_progress=breaking(client, len(content) // 2)
    )
    empty = client.upload(io.BytesIO())
    client.download(empty.hash, folder / "empty", sha256=empty.sha256)
    url = client.token("read").cas_url
    head = requests.head(f"{url}/v1/files/{uploaded.hash}", auth=RequestsAuth(client), timeout=60)
    found = [facts_of(uploaded), facts_of(downloaded), head.status_code]
    print(json.dumps([*found, *asyncio.run(by_tasks(client))]))

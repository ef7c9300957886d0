"""A storage in FastAPI that shows each storage token the files of its own repository and ref."""

from __future__ import annotations

import os

from fastapi import FastAPI, HTTPException, Request, Response
from latchkey_verify import Gate, Grant, Options, Row, row_for, visible
from latchkey_verify.fastapi import Guarded, guard


def storage(gate: Gate) -> FastAPI:
    app = FastAPI()
    # Every version of every file, the newest last. A real storage has a table with these columns.
    files: list[tuple[str, Row, bytes]] = []

    def readable(grant: Grant) -> dict[str, bytes]:
        return {name: content for name, row, content in files if visible(grant, row)}

    @app.put("/r/{repo}/{ref}/files/{name}", status_code=201)
    async def write(name: str, request: Request, admitted: Guarded) -> Response:
        content = await request.body()
        files.append((name, row_for(admitted.grant), content))
        return Response(status_code=201)

    @app.get("/r/{repo}/{ref}/files/{name}")
    def read(name: str, admitted: Guarded) -> Response:
        content = readable(admitted.grant).get(name)
        if content is None:
            raise HTTPException(404)
        return Response(content, media_type="application/octet-stream")

    @app.get("/r/{repo}/{ref}/files")
    def list_names(admitted: Guarded) -> list[str]:
        return sorted(readable(admitted.grant))

    guard(app, gate)
    return app


def from_environment() -> FastAPI:
    """Serves your hub: `uvicorn --factory storage:from_environment`."""
    return storage(Gate(Options(hub_url=os.environ["HUB_URL"], cas_url=os.environ["CAS_URL"])))

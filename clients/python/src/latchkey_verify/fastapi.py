"""The gate for FastAPI: a middleware before every route, and what it admitted as a dependency."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, FastAPI
from fastapi import Request as FastApiRequest

from .asgi import ADMITTED, AsgiGuard, Scope
from .gate import Admission, Gate


def guard(
    app: FastAPI, gate: Gate, address_of: Callable[[Scope], str | None] | None = None
) -> None:
    """Call it after all other middlewares were added: the last one is the first that a request meets."""
    app.add_middleware(AsgiGuard, gate=gate, address_of=address_of)


def admitted(request: FastApiRequest) -> Admission:
    """What the gate admitted this request with."""
    found = request.scope.get(ADMITTED)
    if not isinstance(found, Admission):
        raise RuntimeError("this request has not passed the gate: call guard(app, gate)")
    return found


#: `def route(admitted: Guarded) -> ...`
Guarded = Annotated[Admission, Depends(admitted)]

"""Gets storage tokens from a Latchkey hub, and sends requests and files with them; for threads and asyncio."""

from .client import Client
from .credential import HubToken, HubTokenSource
from .error import LatchkeyError
from .scope_rules import Scope
from .secret import Secret
from .storage_request import Response
from .token_request import StorageToken

__all__ = [
    "Client",
    "HubToken",
    "HubTokenSource",
    "LatchkeyError",
    "Response",
    "Scope",
    "Secret",
    "StorageToken",
]

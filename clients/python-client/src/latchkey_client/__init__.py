"""Gets storage tokens from a Latchkey hub, and sends requests and files with them; for threads and asyncio."""

from .client import Client
from .credential import HubToken, HubTokenSource
from .error import LatchkeyError
from .file_source import BinaryReader, FileSource
from .file_transfer import OnProgress, StoredFile
from .scope_rules import Scope
from .secret import Secret
from .storage_request import Response
from .token_request import StorageToken

__all__ = [
    "BinaryReader",
    "Client",
    "FileSource",
    "HubToken",
    "HubTokenSource",
    "LatchkeyError",
    "OnProgress",
    "Response",
    "Scope",
    "Secret",
    "StorageToken",
    "StoredFile",
]

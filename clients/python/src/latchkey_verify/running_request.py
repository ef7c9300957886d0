"""What an application gets of an admitted request: its `Admission`, and an exception when it must end."""

from __future__ import annotations

from typing import Final

#: Where the scope or the environment of an admitted request has its `Admission`.
ADMITTED: Final = "latchkey.admitted"


class TokenRevoked(Exception):
    """Raised inside an application whose request must end, because its token was revoked while it ran."""

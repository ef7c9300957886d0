"""What an application hears of an admitted request: with what it was admitted, and that it must end."""

from __future__ import annotations

from typing import Final

#: Where the scope or the environment of an admitted request has its `Admitted`.
ADMITTED: Final = "latchkey.admitted"


class TokenTakenBack(Exception):
    """Raised inside of an application whose request must end, because its token was taken back while it ran."""

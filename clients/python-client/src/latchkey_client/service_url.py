"""Which URLs a hub and a storage may have. Tokens are bound to them, so only the normal form is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from .storage_path import has_normal_segments

_URL: Final = re.compile(r"(https?)://(\[[0-9a-f:]+\]|[a-z0-9_.-]+)(?::([1-9][0-9]{0,4}))?(/.*)?")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ServiceUrl:
    """An http or https URL in its normal form, without a slash at its end."""

    scheme: str
    host: str
    port: int
    #: Empty, or with one slash first.
    path: str
    origin: str

    def __str__(self) -> str:
        """As it was written."""
        return self.origin + self.path

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine."""
        return self.host in ("localhost", "[::1]") or (
            _is_ipv4(self.host) and self.host.startswith("127.")
        )

    @property
    def is_plain_http(self) -> bool:
        """To another machine, so that everybody on the way can read the tokens."""
        return self.scheme == "http" and not self.is_loopback


def parse_service_url(text: object) -> ServiceUrl | None:
    """None for what is not in its normal form. One slash at the end is left out."""
    found = _URL.fullmatch(text.removesuffix("/")) if isinstance(text, str) else None
    if found is None:
        return None
    scheme, host, path = found[1], found[2], found[4] or ""
    default = _DEFAULT_PORTS[scheme]
    port = default if found[3] is None else int(found[3])
    is_port = found[3] is None or (port < 65536 and port != default)
    if not (_is_host(host) and is_port and (path == "" or has_normal_segments(path))):
        return None
    authority = host if found[3] is None else f"{host}:{port}"
    return ServiceUrl(scheme, host, port, path, f"{scheme}://{authority}")


def _is_host(host: str) -> bool:
    if host.startswith("["):
        return _compressed(host[1:-1]) == host[1:-1]
    labels = host.split(".")
    if not all(labels[:-1]) or len(host) > 253:
        return False
    last = labels[-1] or (labels[-2] if len(labels) > 1 else "")
    # A name whose last label is a number is an address (WHATWG URL).
    return not re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last) or _is_ipv4(host)


def _compressed(address: str) -> str | None:
    try:
        return IPv6Address(address).compressed
    except AddressValueError:
        return None


def _is_ipv4(host: str) -> bool:
    try:
        return str(IPv4Address(host)) == host
    except AddressValueError:
        return False

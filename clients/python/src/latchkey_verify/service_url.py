"""Which URLs a hub and a storage may be found at. They are compared byte for byte, so only the normal form is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from .refusal import CannotStart
from .storage_path import is_normal_path

_URL: Final = re.compile(r"(https?)://(\[[0-9a-f:]+\]|[a-z0-9_.-]+)(?::([1-9][0-9]{0,4}))?(/.*)?")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_MAX_CAS_URL: Final = 2048


@dataclass(frozen=True)
class ServiceUrl:
    scheme: str
    host: str
    port: int | None
    path: str

    @property
    def authority(self) -> str:
        """As the absolute form of a request target names it."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    @property
    def is_plain_http(self) -> bool:
        """To another machine, so that everybody on the way can read and change it."""
        return self.scheme == "http" and not _is_loopback(self.host)


def parse_service_url(name: str, text: object) -> ServiceUrl:
    """Refuses what is not in its normal form; `name` is that of the option."""
    found = _URL.fullmatch(text) if isinstance(text, str) else None
    if found is not None:
        scheme, host, port, path = found[1], found[2], found[3], found[4] or ""
        number = None if port is None else int(port)
        is_port = number is None or (number < 65536 and number != _DEFAULT_PORTS[scheme])
        is_path = path == "" or (path != "/" and is_normal_path(path))
        if _is_host(host) and is_port and is_path:
            return ServiceUrl(scheme, host, number, path)
    raise CannotStart(
        f"{name}: {text!r} is not allowed; give an http or https URL in its normal form, "
        "without trailing slash, query, fragment or credentials"
    )


def parse_cas_url(text: object) -> ServiceUrl:
    """Placeholders stand in the path only, each at most once; the path of the result has them."""
    if not isinstance(text, str) or len(text) > _MAX_CAS_URL:
        raise CannotStart("cas_url: give the same as the hub has")
    filled = text.replace("{repo}", "repo", 1).replace("{ref}", "ref", 1)
    url = parse_service_url("cas_url", filled)
    path = text[len(f"{url.scheme}://{url.authority}") :]
    return ServiceUrl(url.scheme, url.host, url.port, path)


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


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "[::1]") or (_is_ipv4(host) and host.startswith("127."))

"""The options of a gate, checked and turned into what it works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .background import log
from .elapsed import Clock, system_clock
from .fetch_document import fetch_from
from .hub_keys import FixedKeys, HubKeys, KeySource
from .hub_revocations import HubRevocations
from .key_set import KeySet
from .place import Isolation, Locate, Placing, place_by_locate, place_by_prefix
from .refusal import CannotStart
from .revocation_check import WhenStale
from .revocation_list import names_key
from .revocation_source import RevocationSource, no_revocations
from .scope_rules import ScopeRules, is_write_rule
from .service_url import parse_cas_url, parse_service_url


def log_failure(error: Exception) -> None:
    """Logs a warning to the logger of the package."""
    log.warning("the hub could not be asked: %s", error)


@dataclass(frozen=True)
class Options:
    """The configuration of a gate. `hub_url` and `cas_url` are enough for most storages."""

    #: The URL of the hub, from which the gate fetches keys and revocations; https, unless it is a loopback address.
    hub_url: str | None = None
    #: The hub's `publicUrl`, which every token has as `iss`; `hub_url` if left out.
    issuer: str | None = None
    #: Instead of `hub_url`: fixed keys, or a source of your own.
    keys: KeySet | KeySource | None = None
    #: Only with `keys`: a source of revocation lists; if left out, a token is valid until it expires.
    revocations: RevocationSource | None = None
    #: The `casUrl` of the hub's configuration, such as `https://cas.example/r/{repo}/{ref}`.
    cas_url: str | None = None
    #: Instead of `cas_url`, together with `locate` or `isolation`: the `aud` of the tokens.
    audience: str | None = None
    #: A function that finds repository and ref in a request, if the path does not begin as `cas_url` says.
    locate: Locate | None = None
    #: `upstream`: your storage compares the uids of the grant itself. `none`: there is one tenant.
    isolation: Isolation | None = None
    #: Routes that need a write token in addition to the built-in ones.
    rules: ScopeRules = ScopeRules()
    #: How far the clocks of hub and gate may be apart, and how long after `exp` a request may still begin: 0 to 60.
    leeway_seconds: int = 30
    #: How often the gate fetches the revocation list: every 1 to 30 seconds.
    poll_seconds: int = 5
    #: What the gate does when the hub has not responded for a minute: `reject` returns 503, `allow` checks requests
    #: against the last list, so that a token that is revoked in the meantime works until it expires.
    when_stale: WhenStale = "reject"
    #: So many invalid tokens a minute from one address; further ones get 429. 0 is no limit.
    failures_per_minute: int = 300
    #: Allows an http `hub_url` that is not a loopback address. Others on the network could then replace the keys.
    allow_plain_http: bool = False
    #: Called with the reason when a request to the hub fails. The gate continues with the keys and the list it has.
    on_failure: Callable[[Exception], None] = log_failure
    #: Returns Unix seconds.
    clock: Clock = system_clock


@dataclass(frozen=True)
class Settled:
    issuer: str
    audience: str
    #: The storage's own host and port.
    authority: str
    keys: KeySource
    revocations: RevocationSource
    place_of: Placing


def settle(options: Options) -> Settled:
    _refuse_number("leeway_seconds", options.leeway_seconds, 0, 60)
    _refuse_number("poll_seconds", options.poll_seconds, 1, 30)
    _refuse_number("failures_per_minute", options.failures_per_minute, 0, 1_000_000)
    _refuse_other("when_stale", options.when_stale, ("reject", "allow"))
    _refuse_other("isolation", options.isolation, (None, "upstream", "none"))
    for rule in options.rules.write:
        if not is_write_rule(rule):
            raise CannotStart(
                f"rules: {rule!r} matches no path; give one in its normal form, "
                "with * for a segment and ** for the rest"
            )
    if options.rules.relax_other_methods and options.rules.every_unsafe_method_writes:
        raise CannotStart(
            "rules: every_unsafe_method_writes and relax_other_methods exclude each other; give one of them"
        )
    issuer, keys, revocations = _settle_trust(options)
    audience, place_of = _settle_place(options)
    authority = parse_service_url("audience", audience).authority
    return Settled(issuer, audience, authority, keys, revocations, place_of)


def _settle_trust(options: Options) -> tuple[str, KeySource, RevocationSource]:
    given = options.keys
    if given is not None:
        if options.hub_url is not None or options.issuer is None:
            raise CannotStart("keys: give them beside issuer, and without hub_url")
        keys: KeySource = FixedKeys(given) if isinstance(given, Mapping) else given
        return options.issuer, keys, options.revocations or no_revocations
    if options.revocations is not None:
        raise CannotStart("revocations: give them beside keys, and without hub_url")
    hub = parse_service_url("hub_url", options.hub_url)
    if hub.is_plain_http and not options.allow_plain_http:
        raise CannotStart(
            f"hub_url: {options.hub_url} is plain http, so others on the way could replace the keys; "
            "use https or a loopback address, or say allow_plain_http"
        )
    issuer = options.issuer if options.issuer is not None else str(options.hub_url)
    parse_service_url("issuer", issuer)
    fetch = fetch_from(hub)
    hub_keys = HubKeys(fetch, options.clock, options.on_failure)
    revocations = HubRevocations(
        fetch,
        issuer,
        clock=options.clock,
        leeway_seconds=options.leeway_seconds,
        poll_seconds=options.poll_seconds,
        on_failure=options.on_failure,
        on_answer=lambda: _find_successor(hub_keys, revocations),
    )
    return issuer, hub_keys, revocations


def _find_successor(keys: KeySource, revocations: RevocationSource) -> None:
    """The hub that has revoked a key signs with another one by now: it is fetched before a token comes with it.

    A gate that only polls, without any request, keeps its keys fresh, too.
    """
    held = keys.known()
    latest = revocations.latest()
    if held is not None and latest is not None and any(names_key(latest.list, kid) for kid in held):
        keys.refresh()


def _settle_place(options: Options) -> tuple[str, Placing]:
    if options.cas_url is not None:
        if options.audience is not None or options.locate is not None:
            raise CannotStart("cas_url: give it without audience and locate")
        parse_cas_url(options.cas_url)
        audience = options.cas_url.partition("{")[0].rstrip("/")
        return audience, place_by_prefix(options.cas_url, options.isolation)
    if options.audience is None:
        raise CannotStart("cas_url is missing: give the same as the hub has")
    parse_service_url("audience", options.audience)
    if options.locate is not None:
        return options.audience, place_by_locate(options.locate)
    return options.audience, place_by_prefix(options.audience, options.isolation)


def _refuse_number(name: str, given: object, least: int, most: int) -> None:
    if type(given) is not int or not least <= given <= most:
        raise CannotStart(f"{name}: {given!r} is not allowed; give {least} to {most}")


def _refuse_other(name: str, given: object, allowed: tuple[object, ...]) -> None:
    if given not in allowed:
        words = " or ".join(repr(each) for each in allowed if each is not None)
        raise CannotStart(f"{name}: {given!r} is not allowed; give {words}")

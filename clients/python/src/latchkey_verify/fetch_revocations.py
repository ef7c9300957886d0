"""Fetches the revocation head and list of the hub once. The result is a newer list, the same one, or an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from .elapsed import Clock, Moment
from .fetch_document import Fetch, NotFetched, PublicDocument, fetch_key_set
from .kept_entries import RevocationLists, keep_entries
from .key_set import KeySet
from .revocation_head import (
    InvalidHead,
    RevocationHead,
    VerifiedHead,
    compare_heads,
    head_fault,
    verify_head,
)
from .revocation_list import RevocationList, list_hash, names_key, read_revocation_list

_PATH: Final = "/.well-known/storage-revocations"
HEAD: Final = PublicDocument(_PATH, "application/jwt", "its head of revocations", 4)
HEAD_KEYS: Final = PublicDocument(
    "/.well-known/storage-revocation-keys", "application/json", "its revocation keys", 64
)
#: A key that the hub has withdrawn is forgotten after so long.
_FRESH_KEY_SECONDS: Final = 60

_SENTENCES: Final[dict[InvalidHead, str]] = {
    "malformed": "the hub answered with something else than a head of revocations",
    "unknown_key": "the hub's head of revocations is signed with a key that the hub does not publish",
    "forged": "the signature of the hub's head of revocations is wrong",
    "wrong_issuer": (
        "the hub's head of revocations names another issuer: its publicUrl and the issuer of the gate differ"
    ),
}


@dataclass(frozen=True)
class HeldRevocations:
    """A verified head, its list, and how long they count."""

    head: RevocationHead
    #: Of the key that signed the head.
    kid: str
    lists: RevocationLists
    #: When the first question was sent that brought the head: from then on its life is counted.
    since: Moment
    #: When the last question was sent that brought it, or another one of the same number.
    confirmed: Moment


class HubRevocationDocuments:
    """Asks for one document after the other; used by one thread at a time."""

    def __init__(
        self,
        fetch: Fetch,
        issuer: str,
        clock: Clock,
        now: Callable[[], Moment],
        leeway_seconds: int,
    ) -> None:
        self._fetch = fetch
        self._issuer = issuer
        self._clock = clock
        self._now = now
        self._leeway_seconds = leeway_seconds
        self._published: KeySet = {}
        self._asked: Moment | None = None

    def is_published(self, kid: str) -> bool:
        """Whether the hub still publishes this key of heads."""
        return kid in self._published

    def ask(self, held: HeldRevocations | None, sent: Moment, deadline: float) -> HeldRevocations:
        """Fails with NotFetched, and then nothing changes and nothing counts for longer."""
        verified = self._newest_head(held, deadline)
        head = verified.head
        fault = head_fault(head, self._clock(), self._leeway_seconds)
        if fault is not None:
            raise NotFetched(fault)
        binding = self._still_binding(held)
        comparison = compare_heads(head, None if binding is None else binding.head)
        if comparison == "older":
            raise NotFetched("the hub's head of revocations is older than the one before it")
        if comparison == "same" and binding is not None:
            return replace(binding, confirmed=sent)
        entries = self._list_of(head, held, deadline)
        if names_key(entries, verified.kid):
            raise NotFetched(
                "the hub's head of revocations is signed with a key that its own list revokes"
            )
        if held is None:
            lists = RevocationLists(entries, {}, entries)
        else:
            lists = keep_entries(held.lists, held.kid, entries, head.iat, self.is_published)
        return HeldRevocations(head, verified.kid, lists, sent, sent)

    def _still_binding(self, held: HeldRevocations | None) -> HeldRevocations | None:
        """The number of a head whose key was withdrawn does not count.

        Whoever had the key could have signed a number so high that every later head would be ignored.
        """
        return held if held is not None and self.is_published(held.kid) else None

    def _newest_head(self, held: HeldRevocations | None, deadline: float) -> VerifiedHead:
        text = self._fetch(HEAD, deadline).decode("latin-1")
        now = self._now()
        if self._asked is None or self._asked.seconds_until(now) >= _FRESH_KEY_SECONDS:
            self._fetch_keys(deadline)
        verified = verify_head(text, self._trusted(held), self._issuer)
        if verified == "unknown_key":
            # It may be a new one. One more document in a question is no load, so there is no cooldown to wait for.
            self._fetch_keys(deadline)
            verified = verify_head(text, self._trusted(held), self._issuer)
        if isinstance(verified, VerifiedHead):
            return verified
        raise NotFetched(_SENTENCES[verified])

    def _fetch_keys(self, deadline: float) -> None:
        sent = self._now()
        self._published = fetch_key_set(self._fetch, HEAD_KEYS, deadline)
        self._asked = sent

    def _trusted(self, held: HeldRevocations | None) -> KeySet:
        """Without those that the held list cuts off, as long as its own key is published.

        An attacker with a leaked key could revoke all others.
        """
        if held is None or not self.is_published(held.kid):
            return self._published
        keys = self._published.items()
        return {kid: key for kid, key in keys if not names_key(held.lists.listed, kid)}

    def _list_of(
        self, head: RevocationHead, held: HeldRevocations | None, deadline: float
    ) -> RevocationList:
        """The same object for the same list, so that a token which was checked against it need not be checked again."""
        if held is not None and held.head.list == head.list:
            return held.lists.listed
        document = PublicDocument(
            f"{_PATH}/{head.list}", "application/octet-stream", "its list of revocations", 4096
        )
        data = self._fetch(document, deadline)
        entries = read_revocation_list(data) if list_hash(data) == head.list else None
        if entries is None:
            raise NotFetched("the hub's list of revocations is not the one its head names")
        return entries

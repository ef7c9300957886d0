"""The revocations of one hub: step 9 of docs/guides/write-a-verifier.md, one question after the other."""

import json
import threading
import time
import urllib.request

from hub_keys import NoRedirects
from revocations import cut_off_hash, is_over, list_hash, read_head, read_list, refuse_now
from verify import Refused, read_keys

PATIENCE = 4
FRESH_KEYS = 60
PATH = "/.well-known/storage-revocations"
KEYS_PATH = "/.well-known/storage-revocation-keys"


def fetch_from(hub_url):
    """Documents of this hub alone, each up to a size, all of a question within its deadline."""
    opener = urllib.request.build_opener(NoRedirects)

    def fetch(path, most, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        with opener.open(hub_url + path, timeout=left) as answer:
            parts, size = [], 0
            while part := answer.read(65536):
                size += len(part)
                if size > most or time.monotonic() > deadline:
                    raise ValueError("too long or too late")
                parts.append(part)
        if answer.status != 200:
            raise ValueError(answer.status)
        return b"".join(parts)

    return fetch


class HubRevocations:
    """Call ask() every five seconds, in a thread of its own; check every request against entries()."""

    def __init__(self, hub_url, issuer, **given):
        self.issuer, self.leeway = issuer, given.get("leeway", 30)
        self.fetch = given.get("fetch") or fetch_from(hub_url)
        self.clock, self.stopwatch = given.get("clock", time.time), given.get("stopwatch", time.monotonic)
        self.lock = threading.Lock()
        self.keys, self.keys_at = {}, None
        self.held = None

    def entries(self):
        """The list to check tokens against; None when it is stale (503, or the last list: your choice)."""
        held = self.held
        if held is None or held["kid"] not in self.keys:
            return None
        head = held["head"]
        passed = self.stopwatch() - held["since"]
        is_over = self.clock() >= head["exp"] or passed >= head["exp"] - head["iat"]
        return None if is_over else held["entries"]

    def ask(self):
        """One question; whatever goes wrong, nothing changes and nothing counts for longer."""
        with self.lock:
            try:
                self.held = self.newest(self.stopwatch(), time.monotonic() + PATIENCE)
                return True
            except (OSError, ValueError, LookupError, TypeError, AttributeError, Refused):
                return False

    def newest(self, sent, deadline):
        text = self.fetch(PATH, 4096, deadline).decode("ascii")
        if self.keys_at is None or self.stopwatch() - self.keys_at >= FRESH_KEYS:
            self.fetch_keys(deadline)
        head, kid = self.verified(text, deadline)
        refuse_now(head, self.clock(), self.leeway)
        held = self.held
        # The number of a head whose key was withdrawn does not bind: it may be a thief's.
        if held is not None and held["kid"] in self.keys:
            newer = (head["seq"], head["iat"]), (held["head"]["seq"], held["head"]["iat"])
            if newer[0] <= newer[1]:
                return held
        listed = self.entries_of(head["list"], deadline)
        if cut_off_hash("key", kid) in listed:
            raise Refused("own_key")
        kept = self.still_kept(listed, head["iat"])
        entries = {**listed, **{name: number for name, (number, _) in kept.items()}} if kept else listed
        news = {"head": head, "kid": kid, "since": sent}
        return {**news, "listed": listed, "kept": kept, "entries": entries}

    def still_kept(self, listed, at):
        """Entries of earlier lists that are not over: a hub whose database was rolled back lacks them."""
        kept, held = {}, self.held
        before = [] if held is None else [*held["kept"].items()]
        if held is not None:
            before += [(name, (number, held["kid"])) for name, number in held["listed"].items()]
        for name, (number, kid) in before:
            known = max(listed.get(name, -1), kept.get(name, (-1,))[0])
            if number > known and not is_over(number, at) and kid in self.keys:
                kept[name] = (number, kid)
        return kept

    def verified(self, text, deadline):
        try:
            return read_head(text, keys=self.trusted(), issuer=self.issuer)
        except Refused as refused:
            if str(refused) != "unknown_key":
                raise
        self.fetch_keys(deadline)
        return read_head(text, keys=self.trusted(), issuer=self.issuer)

    def fetch_keys(self, deadline):
        asked = self.stopwatch()
        keys = read_keys(json.loads(self.fetch(KEYS_PATH, 64 * 1024, deadline)))
        if not keys:
            raise ValueError("no keys")
        self.keys, self.keys_at = keys, asked

    def trusted(self):
        """Without those that the held list cuts off, as long as its own key is published."""
        held = self.held
        if held is None or held["kid"] not in self.keys:
            return self.keys
        cut = held["listed"]
        return {kid: key for kid, key in self.keys.items() if cut_off_hash("key", kid) not in cut}

    def entries_of(self, name, deadline):
        if self.held is not None and self.held["head"]["list"] == name:
            return self.held["listed"]
        data = self.fetch(f"{PATH}/{name}", 4096 * 1024, deadline)
        if list_hash(data) != name:
            raise Refused("list")
        return read_list(data)

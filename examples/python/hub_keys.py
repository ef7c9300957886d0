"""The keys of one hub: step 5 of docs/guides/write-a-verifier.md, with the standard library."""

import json
import threading
import time
import urllib.request

from verify import read_keys

COOLDOWN = 10
UNKNOWN = 1
FRESH = 60
LONGEST_STALE = 24 * 3600
LONGEST_DOCUMENT = 64 * 1024


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class HubKeys:
    """Asks the hub at most once a second for unknown keys, and goes on without it for a day."""

    def __init__(self, hub_url, clock=time.monotonic, sleep=time.sleep):
        self.url = f"{hub_url}/.well-known/jwks.json"
        self.clock, self.sleep = clock, sleep
        self.opener = urllib.request.build_opener(NoRedirects)
        self.asking, self.lock = threading.Lock(), threading.Lock()
        self.keys, self.fetched_at = {}, None
        # A regular look does not delay the look for an unknown key.
        self.asked_at, self.looked_at = None, None

    def known(self, kid):
        """The keys to verify a token of this kid with; None while it cannot be known (503, not 401)."""
        asked_at = self.clock()
        if kid not in self.keys or self.age() > LONGEST_STALE:
            self.refresh(asked_at)
            # A key that the hub was not asked for since may be a new one.
            if kid not in self.keys and (self.fetched_at is None or self.fetched_at < asked_at):
                return None
        elif self.age() >= FRESH and self.is_due(self.looked_at):
            self.looked_at = asked_at
            threading.Thread(target=self.look, daemon=True).start()
        return self.keys if self.age() <= LONGEST_STALE else None

    def age(self):
        return float("inf") if self.fetched_at is None else self.clock() - self.fetched_at

    def is_due(self, last):
        return last is None or self.clock() - last >= COOLDOWN

    def refresh(self, asked_at):
        """Waits for a look that began after `asked_at`; the callers of a second share one."""
        with self.asking:
            if self.asked_at is not None:
                if self.asked_at >= asked_at:
                    return
                self.sleep(max(0, self.asked_at + UNKNOWN - self.clock()))
            self.asked_at = self.clock()
            self.look()

    def look(self):
        with self.lock:
            now = self.clock()
            try:
                with self.opener.open(self.url, timeout=5) as answer:
                    document = answer.read(LONGEST_DOCUMENT + 1)
                if answer.status != 200 or len(document) > LONGEST_DOCUMENT:
                    return
                keys = read_keys(json.loads(document))
            except (OSError, ValueError, LookupError, TypeError, AttributeError):
                return
            if keys:
                self.keys, self.fetched_at = keys, now

"""Compares what the example makes of lists, heads and histories with vectors/revocations.json."""

import base64
import json

from hub_revocations import KEYS_PATH, PATH, HubRevocations
from revocations import is_dead, list_hash, read_list
from verify import Refused, read_parts


class VectorHub:
    """A hub that answers what the vectors say, and a verifier of it on clocks moved by hand."""

    def __init__(self, vectors):
        self.published, self.names = vectors["publishedKeys"], list(vectors["publishedKeys"])
        self.lists = {each["hash"]: base64.b64decode(each["bytes"]) for each in vectors["lists"]}
        self.head, self.wall, self.passed = None, vectors["now"], 0
        self.verifier = HubRevocations(
            "",
            vectors["issuer"],
            leeway=vectors["leewaySeconds"],
            fetch=self.fetch,
            clock=lambda: self.wall,
            stopwatch=lambda: self.passed,
        )

    def fetch(self, path, _most, _deadline):
        if path == KEYS_PATH:
            return json.dumps({"keys": [self.published[name] for name in self.names]}).encode()
        if path != PATH:
            return self.lists[path.removeprefix(f"{PATH}/")]
        if self.head is None:
            raise OSError("no answer")
        return self.head.encode()

    def step(self, step):
        self.passed += step.get("wait", 0)
        self.wall += step.get("wait", 0) + step.get("set", 0)
        self.names = step.get("keys", self.names)
        if "head" in step:
            self.head = step["head"]
            self.verifier.ask()


def entries_in(data):
    try:
        return read_list(data)
    except Refused:
        return None


def compared(vectors):
    """What was checked, what came out, and what should have."""
    by_name = {each["name"]: each for each in vectors["lists"]}
    for name, each in by_name.items():
        data = base64.b64decode(each["bytes"])
        wanted = each.get("entries")
        wanted = wanted if wanted is None else {one["hash"]: one["number"] for one in wanted}
        yield f"list {name}", (list_hash(data), entries_in(data)), (each["hash"], wanted)
    for each in vectors["heads"]:
        hub = VectorHub(vectors)
        hub.step({"head": each["head"]})
        yield f"head {each['name']}", hub.verifier.entries() is not None, each["accepted"]
    for history in vectors["histories"]:
        hub = VectorHub(vectors)
        for number, step in enumerate(history["steps"]):
            hub.step(step)
            held = hub.verifier.held
            state = "none" if held is None else "over" if hub.verifier.entries() is None else "good"
            name = step["holds"].get("list")
            owed = name and entries_in(base64.b64decode(by_name[name]["bytes"]))
            found = (state, held and held["entries"])
            yield f"{history['name']}, step {number}", found, (step["holds"]["state"], owed)
    for each in vectors["deaths"]:
        _alg, kid, claims = read_parts(vectors["token"])
        entries = read_list(base64.b64decode(by_name[each["list"]]["bytes"]))
        yield f"dead when {each['list']}", is_dead(claims, kid, entries), each["dead"]

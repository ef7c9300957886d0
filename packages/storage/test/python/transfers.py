"""What users of huggingface_hub do, step by step; tells in one line of JSON how each step ended."""

import hashlib
import json
import sys
from pathlib import Path

from huggingface_hub import CommitOperationAdd, HfApi

given = json.load(sys.stdin)
files = Path(given["files"])
downloads = Path(given["downloads"])
writer = HfApi(token=given["writeToken"])
reader = HfApi(token=given["readToken"])

model = {"repo_id": "acme/bert", "repo_type": "model"}
dataset = {"repo_id": "acme/words", "repo_type": "dataset"}


def upload(names, place, api=writer, **more):
    operations = [CommitOperationAdd(name, str(files / name)) for name in names]
    return api.create_commit(operations=operations, commit_message="Add", **place, **more)


def download(name, place, into):
    """Into a folder of its own, so that nothing is taken from an earlier download."""
    path = writer.hf_hub_download(filename=name, local_dir=downloads / into, **place)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def write_by_reader():
    upload(["one"], {**model, "revision": "main"}, api=reader)


def write_to_missing_revision():
    upload(["one"], {**model, "revision": "nowhere"})


def read_missing_revision():
    download("one", {**model, "revision": "nowhere"}, "nowhere")


def sizes():
    names = ["empty", "one", "some", "many"]
    place = {**model, "revision": "main"}
    upload(names, place)
    return {name: download(name, place, "sizes") for name in names}


def packed():
    place = {**model, "revision": "slow"}
    upload(["lines", "numbers"], place)
    return {name: download(name, place, "packed") for name in ("lines", "numbers")}


def places():
    """The same file everywhere, by a client that remembers what it has uploaded."""
    everywhere = [
        {**repository, "revision": revision}
        for repository in (model, dataset)
        for revision in ("one", "other")
    ]
    for place in everywhere:
        upload(["same"], place)
    return [download("same", place, f"place-{count}") for count, place in enumerate(everywhere)]


def pull_request():
    made = upload(["proposed"], model, create_pr=True)
    read = download("proposed", {**model, "revision": made.pr_revision}, "pull-request")
    return {"revision": made.pr_revision, "read": read}


def first_of_two():
    upload(["first"], {**dataset, "revision": "similar"})


def second_of_two():
    place = {**dataset, "revision": "similar"}
    upload(["second"], place)
    return {name: download(name, place, "similar") for name in ("first", "second")}


def several():
    upload(["several"], {**model, "revision": "several"})


def several_again():
    place = {**model, "revision": "several"}
    operations = [CommitOperationAdd("again", str(files / "several"))]
    writer.create_commit(operations=operations, commit_message="Add", **place)
    return {"several": download("again", place, "several")}


def outcome(step):
    try:
        return {"gave": step()}
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error)}


print(json.dumps({name: outcome(globals()[name]) for name in given["steps"]}))

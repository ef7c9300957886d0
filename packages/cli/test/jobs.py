"""What a CI job does with huggingface_hub and no token of its own: told as JSON, a member for each step."""

import json
import os
import sys

from huggingface_hub import HfApi, get_token

given = json.load(sys.stdin)
api = HfApi(endpoint=os.environ["HF_ENDPOINT"])


def outcome(call):
    try:
        call()
        return "done"
    except Exception as error:
        response = getattr(error, "response", None)
        return [type(error).__name__, response.status_code if response is not None else None]


def upload(repo, **more):
    return outcome(lambda: api.upload_file(path_or_fileobj=b"from a job", path_in_repo="job.txt", repo_id=repo, **more))


told = {step["name"]: upload(step["repo"], **step["more"]) for step in given["uploads"]}
told["same token twice"] = outcome(lambda: None) if get_token() == get_token() else "another"
json.dump(told, sys.stdout)

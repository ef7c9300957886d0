"""What a user of huggingface_hub does with a hub: told as JSON, one member a step."""

import json
import os
import sys

from huggingface_hub import HfApi, hf_hub_download

given = json.load(sys.stdin)
token, repo, folder = given["token"], given["repo"], given["folder"]
endpoint = os.environ["HF_ENDPOINT"]
api = HfApi(endpoint=endpoint, token=token)
told = {}

told["whoami"] = api.whoami()["name"]
told["url"] = str(api.create_repo(repo))
told["again"] = str(api.create_repo(repo, exist_ok=True))
api.upload_file(path_or_fileobj=b"# A card\n", path_in_repo="README.md", repo_id=repo)
large = os.path.join(folder, "weights.safetensors")
api.upload_file(path_or_fileobj=large, path_in_repo="weights.safetensors", repo_id=repo)
told["files"] = sorted(api.list_repo_files(repo))
told["commits"] = [commit.title for commit in api.list_repo_commits(repo)]
told["branches"] = [branch.name for branch in api.list_repo_refs(repo).branches]


def download(name):
    path = hf_hub_download(repo, name, token=token, endpoint=endpoint, cache_dir=os.path.join(folder, "cache"))
    with open(path, "rb") as file:
        return file.read()


told["readme"] = download("README.md").decode()
with open(large, "rb") as file:
    told["isSame"] = download("weights.safetensors") == file.read()
json.dump(told, sys.stdout)

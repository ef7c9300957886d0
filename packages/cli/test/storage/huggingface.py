"""Uploads files with huggingface_hub and downloads each into an empty cache: tells whether they are the same."""

import json
import os
import sys

from huggingface_hub import HfApi, hf_hub_download

given = json.load(sys.stdin)
endpoint, token, folder = os.environ["HF_ENDPOINT"], given["token"], given["folder"]
api = HfApi(endpoint=endpoint, token=token)
same = []
for repo, number in [(repo, number) for repo in given["repos"] for number in range(given["rounds"])]:
    api.create_repo(repo, exist_ok=True)
    name = f"weights-{len(same)}.bin"
    content = os.urandom(given["bytes"])
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
    api.upload_file(path_or_fileobj=os.path.join(folder, name), path_in_repo=name, repo_id=repo)
    cache = os.path.join(folder, f"cache-{len(same)}")
    with open(hf_hub_download(repo, name, token=token, endpoint=endpoint, cache_dir=cache), "rb") as file:
        same.append(file.read() == content)
json.dump(same, sys.stdout)

"""Sends a folder of text with `upload_folder`, reads a file of it back, and tells as JSON what came of it."""

import json
import os
import sys
import time

from huggingface_hub import HfApi, hf_hub_download

given = json.load(sys.stdin)
folder, files, file_bytes = given["folder"], given["files"], given["fileBytes"]
endpoint, token, repo = os.environ["HF_ENDPOINT"], given["token"], given["repo"]
source = os.path.join(folder, "text")
os.makedirs(source, exist_ok=True)
for number in range(files):
    line = f"{number} " + "a line of text that git keeps itself and no large file has\n"
    with open(os.path.join(source, f"{number}.txt"), "w") as out:
        out.write((line * (file_bytes // len(line) + 1))[:file_bytes])

api = HfApi(endpoint=endpoint, token=token)
api.create_repo(repo, exist_ok=True)
started = time.monotonic()
api.upload_folder(folder_path=source, repo_id=repo, commit_message="text")
seconds = time.monotonic() - started
infos = api.list_repo_tree(repo, recursive=True)
sizes = {each.path: (each.size, each.lfs is not None) for each in infos if each.path.endswith(".txt")}
name = f"{files - 1}.txt"
copy = hf_hub_download(repo, name, token=token, endpoint=endpoint, cache_dir=os.path.join(folder, "cache"))
with open(copy, "rb") as back, open(os.path.join(source, name), "rb") as sent:
    is_same = back.read() == sent.read()
print(
    json.dumps(
        {
            "bytes": sum(size for size, _ in sizes.values()),
            "large": sum(is_large for _, is_large in sizes.values()),
            "commits": [commit.title for commit in api.list_repo_commits(repo)],
            "isSame": is_same,
            "seconds": seconds,
        }
    )
)

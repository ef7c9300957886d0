"""What a user of datasets does with a hub: told as JSON, one member a step."""

import json
import os
import sys

import pyarrow
import pyarrow.parquet
from datasets import load_dataset
from huggingface_hub import HfApi

given = json.load(sys.stdin)
repo, folder = given["repo"], given["folder"]
api = HfApi()
api.create_repo(repo, repo_type="dataset")
lines = "".join(json.dumps({"number": number, "text": f"row {number}"}) + "\n" for number in range(100))
api.upload_file(path_or_fileobj=lines.encode(), path_in_repo="data/train.jsonl", repo_id=repo, repo_type="dataset")
told = {}
rows = load_dataset(repo, split="train")
told["loaded"] = [len(rows), rows[7]["text"]]
streamed = load_dataset(repo, split="train", streaming=True)
told["streamed"] = [row["text"] for row in streamed.take(2)]

table = pyarrow.table({"number": list(range(1000)), "bytes": [os.urandom(500) for _ in range(1000)]})
file = os.path.join(folder, "test.parquet")
pyarrow.parquet.write_table(table, file)
api.upload_file(path_or_fileobj=file, path_in_repo="large/train.parquet", repo_id=repo, repo_type="dataset")
large = load_dataset(repo, data_files="large/train.parquet", split="train")
told["large"] = [len(large), large[999]["bytes"] == table["bytes"][999].as_py()]
streamed = load_dataset(repo, data_files="large/train.parquet", split="train", streaming=True)
told["largeStreamed"] = [row["number"] for row in streamed.take(2)]
json.dump(told, sys.stdout)

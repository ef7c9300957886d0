"""Calls every public method of HfApi with plausible arguments, and tells what each of them asked the hub for."""

import contextlib
import inspect
import io
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from huggingface_hub import CommitOperationAdd, HfApi, get_session

# They start threads, wait for long, or ask another site.
LEFT_OUT = {"run_as_future", "upload_large_folder", "sync_bucket", "watch_bucket"}

REPO = "acme/every"


def argument(name, folder):
    """By the name of a parameter; a text where nothing is known of it."""
    known = {
        "repo_id": REPO, "from_id": REPO, "to_id": "acme/copied", "space_id": REPO, "model_id": REPO, "dataset_name": REPO,
        "namespace": "acme", "organization": "acme", "owner": "acme", "author": "acme", "username": "ada", "user": "ada",
        "name": "named", "repository": REPO, "bucket_id": "acme/bucket", "collection_slug": "acme/set-0123456789abcdef01234567",
        "item_object_id": "0123456789abcdef01234567", "item_id": REPO, "item_type": "model", "title": "a title",
        "discussion_num": 1, "comment_id": "1", "new_content": "text", "new_title": "a title", "new_status": "closed", "comment": "text",
        "webhook_id": "0123456789abcdef01234567", "url": "https://example.org/hook", "watched": ["acme"], "domains": ["repo"],
        "job_id": "0123456789abcdef01234567", "scheduled_job_id": "0123456789abcdef01234567", "image": "python:3.12", "command": ["true"],
        "schedule": "@daily", "script": "true", "labels": {"a": "b"}, "resource_group_id": "0123456789abcdef01234567",
        "branch": "new-branch", "tag": "new-tag", "path_in_repo": "a.txt", "paths": ["a.txt"], "filename": "a.txt", "path": "a.txt",
        "filenames": ["a.txt"], "path_or_fileobj": b"a", "folder_path": folder, "operations": [CommitOperationAdd("b.txt", b"b")],
        "additions": [CommitOperationAdd("b.txt", b"b")], "commit_message": "a commit", "delete_patterns": ["none-*"], "patterns": ["none-*"],
        "hardware": "cpu-basic", "sleep_time": 600, "key": "KEY", "value": "value", "volumes": [], "storage": "small", "log_type": "run",
        "framework": "pytorch", "accelerator": "cpu", "instance_size": "x1", "instance_type": "intel-icl", "region": "us-east-1", "vendor": "aws",
        "id": "2501.00001", "query": "bert", "paper_id": "2501.00001", "date": "2026-01-01", "lfs_files": [], "repo_type": None,
        "local_path": folder, "local_dir": folder, "remote_path": "a.txt", "folder": folder, "source": folder, "destination": "hf://buckets/acme/bucket/x",
        "port": 8000, "ports": [8000], "new_owner": "acme", "status": "pending", "add": [("a", "a.txt")], "files": ["a.txt"], "ignore_patterns": None,
    }
    return known.get(name, "text")


def every_method(endpoint, token):
    """One row for each request: the method of HfApi, the method and target of HTTP, the status, and the sentence that came with it."""
    rows, calling = [], [""]

    def told(response):
        request = response.request
        parts = urlsplit(str(request.url))
        if not str(request.url).startswith(endpoint):
            return
        query = f"?{parts.query}" if parts.query else ""
        rows.append([calling[0], request.method, parts.path + query, response.status_code, response.headers.get("x-error-message", "")])

    def only_here(request):
        if not str(request.url).startswith(endpoint):
            raise PermissionError("another site is not asked")

    session = get_session()
    session.event_hooks = {name: [*own, hook] for (name, own), hook in zip(sorted(session.event_hooks.items()), (only_here, told), strict=True)}
    api = HfApi(endpoint=endpoint, token=token)
    api.create_repo(REPO, exist_ok=True)
    api.upload_file(path_or_fileobj=b"a", path_in_repo="a.txt", repo_id=REPO)
    rows.clear()
    methods = [name for name, _ in inspect.getmembers(HfApi, inspect.isfunction) if not name.startswith("_")]
    # The method that deletes the repository comes last.
    for name in sorted(set(methods) - LEFT_OUT, key=lambda one: (one == "delete_repo", one)):
        calling[0] = name
        call = getattr(api, name)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.txt").write_text("a")
            needed = [
                parameter.name
                for parameter in inspect.signature(call).parameters.values()
                if parameter.default is inspect.Parameter.empty and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
            ]
            arguments = {one: argument(one, folder) for one in needed}
            with contextlib.suppress(Exception, SystemExit), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                result = call(**arguments)
                if inspect.isgenerator(result):
                    next(result, None)
    return rows

"""What users of huggingface_hub and of its command hf do with a hub: told as JSON, a member for each step that is asked for."""

import contextlib
import io
import json
import os
import sys

from huggingface_hub import CommitOperationAdd, HfApi, HfFileSystem, _upload_pipeline, get_session, hf_hub_download, hf_hub_url, snapshot_download
from huggingface_hub.cli.hf import main as hf

given = json.load(sys.stdin)
token, folder = given["token"], given["folder"]
endpoint = os.environ["HF_ENDPOINT"]
api = HfApi(endpoint=endpoint, token=token)
large = os.path.join(folder, "weights.safetensors")
cache = os.path.join(folder, "cache")


def write(*path, text):
    file = os.path.join(folder, *path)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "w") as out:
        out.write(text)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def download(repo, name, **more):
    return read(hf_hub_download(repo, name, token=token, endpoint=endpoint, cache_dir=cache, **more))


def failure(call):
    """The class of an error, with its status where it has one."""
    try:
        call()
    except Exception as error:
        response = getattr(error, "response", None)
        return [type(error).__name__, response.status_code if response is not None else None]
    return None


def files():
    repo = "acme/first"
    told = {"whoami": api.whoami()["name"]}
    told["url"] = str(api.create_repo(repo))
    told["again"] = str(api.create_repo(repo, exist_ok=True))
    api.upload_file(path_or_fileobj=b"# A card\n", path_in_repo="README.md", repo_id=repo)
    api.upload_file(path_or_fileobj=large, path_in_repo="weights.safetensors", repo_id=repo)
    for number in range(5):
        write("parts", f"{number}.txt", text=f"part {number}")
    with open(os.path.join(folder, "parts", "half.bin"), "wb") as file:
        file.write(read(large)[:150_000])
    # Two files make a commit, in place of 250.
    usual, _upload_pipeline.COMMIT_SIZE_SCALE[:] = _upload_pipeline.COMMIT_SIZE_SCALE[:], [2] * 10
    api.upload_folder(folder_path=os.path.join(folder, "parts"), path_in_repo="parts", repo_id=repo, commit_message="parts")
    _upload_pipeline.COMMIT_SIZE_SCALE[:] = usual
    told["files"] = sorted(api.list_repo_files(repo))
    told["commits"] = [commit.title for commit in api.list_repo_commits(repo)]
    told["branches"] = [branch.name for branch in api.list_repo_refs(repo).branches]
    tree = {entry.path: entry for entry in api.list_repo_tree(repo, recursive=True, expand=True)}
    told["last"] = tree["README.md"].last_commit.title
    told["sizes"] = [tree["README.md"].size, tree["weights.safetensors"].lfs.size, tree["weights.safetensors"].size]
    told["folders"] = [entry.path for entry in api.list_repo_tree(repo) if not hasattr(entry, "size")]
    told["readme"] = download(repo, "README.md").decode()
    told["isSame"] = download(repo, "weights.safetensors") == read(large)
    copy = snapshot_download(repo, token=token, endpoint=endpoint, cache_dir=cache)
    told["snapshot"] = sorted(os.listdir(copy))
    told["isSnapshotSame"] = read(os.path.join(copy, "parts", "half.bin")) == read(large)[:150_000]
    before = api.repo_info(repo).sha
    api.delete_file("parts/0.txt", repo)
    api.delete_folder("parts", repo)
    told["left"] = sorted(api.list_repo_files(repo))
    told["earlier"] = download(repo, "parts/0.txt", revision=before).decode()
    return told


def failures():
    repo = "acme/failing"
    api.create_repo(repo, private=True)
    first = api.repo_info(repo).sha
    api.upload_file(path_or_fileobj=b"a", path_in_repo="a.txt", repo_id=repo)
    add = [CommitOperationAdd("b.txt", b"b")]
    guest = HfApi(endpoint=endpoint, token=given["guest"])
    anybody = HfApi(endpoint=endpoint, token=False)
    return {
        "no repository": failure(lambda: api.repo_info("acme/absent")),
        "no name that can be": failure(lambda: api.repo_info("nobody/at-all")),
        "no revision": failure(lambda: list(api.list_repo_tree(repo, revision="nowhere"))),
        "no file": failure(lambda: download(repo, "absent.txt")),
        "no file of a revision": failure(lambda: download(repo, "a.txt", revision="nowhere")),
        "no folder": failure(lambda: list(api.list_repo_tree(repo, "absent"))),
        "nothing to delete": failure(lambda: api.delete_file("absent.txt", repo)),
        "moved": failure(lambda: api.create_commit(repo, add, commit_message="late", parent_commit=first)),
        "there": failure(lambda: api.create_repo(repo)),
        "a reader writes": failure(lambda: guest.upload_file(path_or_fileobj=b"b", path_in_repo="b", repo_id=repo)),
        "a reader deletes": failure(lambda: guest.delete_repo(repo)),
        "nobody reads": failure(lambda: anybody.repo_info(repo)),
        "a path into .git": failure(lambda: api.create_commit(repo, [CommitOperationAdd("x/.GIT/config", b"")], commit_message="x")),
        "a card that cannot be read": failure(lambda: api.upload_file(path_or_fileobj=b"---\na: [\n---\n", path_in_repo="README.md", repo_id=repo)),
    }


def run_hf(*words):
    """As the script hf does; a process of its own takes half a second to start."""
    said = io.StringIO()
    sys.argv = ["hf", *words]
    with contextlib.redirect_stdout(said):
        try:
            code = hf() or 0
        except SystemExit as end:
            code = end.code or 0
    return [code, said.getvalue().strip()]


def command():
    repo = "acme/by-command"
    write("sent", "a.txt", text="sent")
    steps = {
        "whoami": run_hf("auth", "whoami"),
        "create": run_hf("repos", "create", repo, "--private"),
        "upload": run_hf("upload", repo, os.path.join(folder, "sent"), "."),
        "upload large": run_hf("upload", repo, large, "weights.safetensors"),
        "download": run_hf("download", repo, "--local-dir", os.path.join(folder, "got")),
        "create again": run_hf("repos", "create", repo, "--exist-ok"),
        "branch": run_hf("repos", "branch", "create", repo, "dev"),
        "tag": run_hf("repos", "tag", "create", repo, "v1"),
        "propose": run_hf("upload", repo, os.path.join(folder, "sent"), "proposed", "--create-pr"),
        "delete files": run_hf("repos", "delete-files", repo, "a.txt"),
        "list": run_hf("repos", "list", "--namespace", "acme"),
    }
    refs = api.list_repo_refs(repo, include_pull_requests=True)
    told = {name: code for name, (code, _) in steps.items()}
    told["name"] = "ada" in steps["whoami"][1]
    told["isSame"] = read(os.path.join(folder, "got", "weights.safetensors")) == read(large)
    told["text"] = read(os.path.join(folder, "got", "a.txt")).decode()
    told["refs"] = [sorted(ref.name for ref in each) for each in (refs.branches, refs.tags)] + [len(refs.pull_requests)]
    told["left"] = sorted(api.list_repo_files(repo))
    told["proposed"] = "proposed/a.txt" in api.list_repo_files(repo, revision="refs/pr/1")
    told["listed"] = repo in steps["list"][1]
    told["delete"] = run_hf("repos", "delete", repo, "--yes")[0]
    told["gone"] = failure(lambda: api.repo_info(repo))
    return told


def end():
    api.delete_repo("acme/first")
    return failure(lambda: api.repo_info("acme/first"))


def refs():
    repo = "acme/refs"
    api.create_repo(repo)
    api.upload_file(path_or_fileobj=b"1", path_in_repo="a.txt", repo_id=repo)
    api.create_branch(repo, branch="dev")
    api.create_branch(repo, branch="dev", exist_ok=True)
    api.upload_file(path_or_fileobj=large, path_in_repo="weights.safetensors", repo_id=repo, revision="dev")
    api.create_tag(repo, tag="v1", revision="dev", tag_message="the first")
    api.create_tag(repo, tag="v1", exist_ok=True)
    found = api.list_repo_refs(repo)
    told = {"branches": sorted(ref.name for ref in found.branches), "tags": [ref.name for ref in found.tags]}
    told["there"] = [failure(lambda: api.create_branch(repo, branch="dev")), failure(lambda: api.create_tag(repo, tag="v1"))]
    told["nowhere"] = failure(lambda: api.create_branch(repo, branch="new", revision="nowhere"))
    api.delete_branch(repo, branch="dev")
    told["isTagSame"] = download(repo, "weights.safetensors", revision="v1") == read(large)
    told["main"] = sorted(api.list_repo_files(repo))
    api.delete_tag(repo, tag="v1")
    told["gone"] = [failure(lambda: api.delete_branch(repo, branch="dev")), failure(lambda: api.delete_tag(repo, tag="v1"))]
    return told


def head():
    """The name that git has for the default branch."""
    repo = "acme/by-head"
    api.create_repo(repo)
    api.create_branch(repo, branch="dev")
    content = read(large) * 37
    sent = api.upload_file(path_or_fileobj=content, path_in_repo="model.bin", repo_id=repo, revision="HEAD")
    proposed = api.upload_file(path_or_fileobj=content[1:], path_in_repo="other.bin", repo_id=repo, revision="HEAD", create_pr=True)
    return {
        "megabytes": len(content) // 2**20,
        "isMain": sent.oid == api.repo_info(repo, revision="main").sha,
        "isSame": download(repo, "model.bin", revision="HEAD") == content == download(repo, "model.bin"),
        "byPath": HfFileSystem(endpoint=endpoint, token=token).read_bytes(f"{repo}@HEAD/model.bin") == content,
        "other": sorted(api.list_repo_files(repo, revision="dev")),
        "proposed": [proposed.pr_revision, download(repo, "other.bin", revision=proposed.pr_revision) == content[1:]],
    }


def pullRequests():
    repo = "acme/proposals"
    api.create_repo(repo, private=False)
    api.upload_file(path_or_fileobj=b"1", path_in_repo="a.txt", repo_id=repo)
    small = api.upload_file(path_or_fileobj=b"2", path_in_repo="b.txt", repo_id=repo, create_pr=True)
    told = {"first": [small.pr_revision, small.pr_num, small.pr_url]}
    great = api.upload_file(path_or_fileobj=large, path_in_repo="weights.safetensors", repo_id=repo, create_pr=True)
    told["isSame"] = download(repo, "weights.safetensors", revision=great.pr_revision) == read(large)
    write("proposed", "c.txt", text="c")
    write("proposed", "d.txt", text="d")
    write("proposed", "e.txt", text="e")
    with open(os.path.join(folder, "proposed", "third.bin"), "wb") as file:
        file.write(read(large)[:100_000])
    usual, _upload_pipeline.COMMIT_SIZE_SCALE[:] = _upload_pipeline.COMMIT_SIZE_SCALE[:], [2] * 10
    several = api.upload_folder(folder_path=os.path.join(folder, "proposed"), repo_id=repo, create_pr=True)
    _upload_pipeline.COMMIT_SIZE_SCALE[:] = usual
    told["several"] = [several.pr_num, sorted(api.list_repo_files(repo, revision=several.pr_revision))]
    told["isThirdSame"] = download(repo, "third.bin", revision=several.pr_revision) == read(large)[:100_000]
    told["commits"] = len(api.list_repo_commits(repo, revision=several.pr_revision))
    told["refs"] = sorted(ref.ref for ref in api.list_repo_refs(repo, include_pull_requests=True).pull_requests)
    told["main"] = sorted(api.list_repo_files(repo))
    guest = HfApi(endpoint=endpoint, token=given["guest"])
    proposal = guest.upload_file(path_or_fileobj=large, path_in_repo="w.safetensors", repo_id=repo, create_pr=True)
    told["ofReader"] = proposal.pr_num
    return told


def plainDownload():
    """Without hf_xet, as curl does."""
    repo = "acme/plain"
    api.create_repo(repo)
    api.upload_file(path_or_fileobj=large, path_in_repo="weights.safetensors", repo_id=repo)
    url = hf_hub_url(repo, "weights.safetensors", endpoint=endpoint)
    headers = {"authorization": f"Bearer {token}"}
    whole = get_session().get(url, headers=headers, follow_redirects=True)
    part = get_session().get(url, headers={**headers, "range": "bytes=1000-1999"}, follow_redirects=True)
    return {
        "isSame": whole.content == read(large),
        "part": [part.status_code, part.content == read(large)[1000:2000]],
    }


def listing():
    api.create_repo("acme/listed-model", private=False)
    api.create_repo("acme/listed-set", repo_type="dataset", private=True)
    anybody = HfApi(endpoint=endpoint, token=given["stranger"])
    return {
        "models": "acme/listed-model" in [model.id for model in api.list_models(author="acme")],
        "datasets": [one.id for one in api.list_datasets(author="acme")],
        "ofStranger": [one.id for one in anybody.list_datasets(author="acme")],
    }


def metadata():
    repo = "acme/described"
    api.create_repo(repo, private=False)
    card = b"---\nlicense: mit\nlanguage: en\ntags: [speech]\npipeline_tag: text-generation\nlibrary_name: transformers\n---\n# A model\n"
    header = json.dumps({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}).encode()
    tensors = len(header).to_bytes(8, "little") + header + bytes(24)
    adds = {"README.md": card, "config.json": b'{"model_type": "bert", "architectures": ["BertModel"]}', "model.safetensors": tensors}
    made = api.create_commit(repo, [CommitOperationAdd(path, content) for path, content in adds.items()], commit_message="a model")
    info = api.model_info(repo, revision="HEAD")
    [listed] = api.list_models(author="acme", search="described", full=True)
    page = get_session().get(made.commit_url, headers={"authorization": f"Bearer {token}"})
    proposed = api.upload_file(path_or_fileobj=b"new\n", path_in_repo="new.txt", repo_id=repo, create_pr=True)
    guest = HfApi(endpoint=endpoint, token=given["guest"])
    return {
        "card": [info.card_data.license, info.card_data.language, info.pipeline_tag, info.library_name],
        "tags": info.tags,
        "config": info.config,
        "safetensors": [info.safetensors.parameters, info.safetensors.total],
        "isSizeSame": info.used_storage == sum(sibling.size for sibling in api.model_info(repo, files_metadata=True).siblings),
        "isListedSame": [listed.tags, listed.pipeline_tag, listed.config, len(listed.siblings)] == [info.tags, info.pipeline_tag, info.config, 4],
        "page": [page.status_code, "model.safetensors" in page.text],
        "diff": "+new" in api.get_discussion_details(repo, proposed.pr_num).diff,
        "access": [failure(lambda: guest.auth_check(repo)), failure(lambda: guest.auth_check(repo, write=True)), failure(lambda: api.auth_check("acme/absent"))],
        "unserved": [failure(lambda: api.get_collection("acme/set-1")), failure(lambda: api.space_info("acme/absent"))],
    }


def everyMethod():
    from every_method import every_method

    return [row for row in every_method(endpoint, token) if "The hub has no route at this path" in row[-1] or row[3] in (405, 500)]


json.dump({step: globals()[step]() for step in given["steps"]}, sys.stdout)

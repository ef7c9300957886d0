"""Uploads or downloads one file with hf_xet, in the way huggingface_hub calls it, and prints its hash."""

import json
import sys

import hf_xet

given = json.load(sys.stdin)
access = {
    "token_refresh_url": given["tokenUrl"],
    "token_refresh_headers": {"authorization": f"Bearer {given['hubToken']}"},
}
session = hf_xet.XetSession()

if given["direction"] == "upload":
    with session.new_upload_commit(**access) as commit:
        upload = commit.start_upload_file(given["file"], sha256=hf_xet.COMPUTE_SHA256)
    print(upload.result().xet_info.hash)
else:
    with session.new_file_download_group(**access) as group:
        info = hf_xet.XetFileInfo(given["hash"], given["bytes"])
        group.start_download_file(info, given["file"])
    print(given["hash"])

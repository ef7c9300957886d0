#!/bin/sh
# Uploads files to a repository, each named by its hash: upload.sh models/acme/bert@main FILE...
# The hub is the one in LATCHKEY_HUB, its token in the file LATCHKEY_HUB_TOKEN_FILE; or both come from `latchkey login`.
# For a storage of your own that takes any bytes by their SHA-256. The embedded one takes them at PUT /v1/files, and names them itself.
set -eu
target=$1
shift

for file in "$@"; do
  hash=$(sha256sum <"$file" | cut -d ' ' -f 1)
  # One token for each file: it is judged when an upload begins, so that it may take its time.
  answer=$(latchkey token write "$target" --env)
  # Not exported: the token stays in this shell, and in no argument or environment of another process.
  eval "$(printf '%s\n' "$answer" | sed 's/^export //')"
  printf 'Authorization: Bearer %s\n' "$CAS_TOKEN" |
    curl --silent --show-error --fail -H @- -X POST --upload-file "$file" \
      --output /dev/null "$CAS_URL/v1/xorbs/default/$hash"
  printf '%s\n' "$hash"
done

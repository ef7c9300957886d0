#!/bin/sh
# Reads one path of a repository: read.sh models/acme/bert@main /v1/chunks/default/abc > chunk
# The hub is the one in LATCHKEY_HUB, its token in the file LATCHKEY_HUB_TOKEN_FILE; or both come from `latchkey login`.
set -eu
target=$1 path=$2

# Not exported: the token stays in this shell, and in no argument or environment of another process.
answer=$(latchkey token read "$target" --env)
eval "$(printf '%s\n' "$answer" | sed 's/^export //')"

printf 'Authorization: Bearer %s\n' "$CAS_TOKEN" |
  curl --silent --show-error --fail -H @- "$CAS_URL$path"

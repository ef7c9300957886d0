#!/bin/sh
# Reads one path of a repository: read.sh models/acme/bert@main /v1/chunks/default/abc > chunk
# The hub is the one in LATCHKEY_HUB, its token in the file LATCHKEY_HUB_TOKEN_FILE; or both come from `latchkey login`.
set -eu
target=$1 path=$2

# The hub names the storage; an address may show anywhere.
answer=$(latchkey token read "$target" --env)
eval "$(printf '%s\n' "$answer" | grep '^export CAS_URL=')"

# The token goes from one process to the other, and stands in no argument and no environment.
latchkey token read "$target" --header | curl --silent --show-error --fail -H @- "$CAS_URL$path"

# Functions for plain files with curl and jq, for bash: . examples/shell/files.sh
# The hub is in HUB, the repository in REPOSITORY (acme/bert), and the hub token in the file of HUB_TOKEN_FILE.
umask 077

# The token goes into a file, and stands in no argument.
new_token() {
  printf 'Authorization: Bearer %s\n' "$(cat "$HUB_TOKEN_FILE")" |
    curl -sS -f -H @- "$HUB/api/models/$REPOSITORY/storage-write-token/main" > token.json
  CAS_URL=$(jq -r .casUrl token.json)
  jq -r '"Authorization: Bearer " + .accessToken' token.json > storage.header
}

# A token that is valid for 30 seconds at least.
fresh_token() {
  [ -s token.json ] && [ "$(jq .exp token.json)" -gt $(($(date +%s) + 30)) ] || new_token
  CAS_URL=$(jq -r .casUrl token.json)
}

# upload FILE ID: continues where the upload with this ID stopped, and prints the response.
upload() {
  local size=$(wc -c < "$1") delay offset url
  for delay in 0 1 2 4 8 16; do
    sleep "$delay"
    fresh_token
    url="$CAS_URL/v1/files?upload=$2"
    offset=$(curl -sS -f -I -H @storage.header "$url" |
      tr -d '\r' | sed -n 's/^upload-offset: //Ip') || offset=0
    if [ "$offset" = "$size" ]; then
      curl -sS -f -H @storage.header -X PUT -H "Content-Range: bytes */$size" "$url" && return
    else
      curl -sS -f -H @storage.header -T "$1" -C "${offset:-0}" "$url" && return
    fi
  done
  return 1
}

# download HASH FILE: continues with the bytes that the file lacks.
download() {
  local delay
  for delay in 0 1 2 4 8 16; do
    sleep "$delay"
    fresh_token
    curl -sS -f -H @storage.header -C - -o "$2" "$CAS_URL/v1/files/$1" && return
  done
  return 1
}

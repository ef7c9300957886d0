/** Commands that run before a block, by the beginning of the block. */

export const before: Readonly<Record<string, string>> = {
  'npx latchkey upload models/acme/bert@main weights.bin':
    'latchkey login --hub $HUB --token < laptop.token',
  'npx latchkey download models/acme/bert --manifest': 'rm -r bert',
  'A=$(curl': 'HUB_TOKEN=$(cat laptop.token)',
  'cp examples/post-receive': `
    [ -e examples ] || ln -s "$ROOT/examples" examples
    git init -q --bare bert.git
    git init -q work && git -C work -c user.name=ada -c user.email=ada@example.com commit -q --allow-empty -m first
    git -C work push -q ../bert.git HEAD:refs/heads/dev`,
  'latchkey hub-token list --account ada': `
    latchkey account create ada
    latchkey member set acme ada write
    latchkey hub-token create ada laptop --kind write --output ada.token
    ID=$(command latchkey hub-token list --account ada --json | node -p 'JSON.parse(fs.readFileSync(0)).items[0].id')`,
  'latchkey account link ada': 'latchkey account create ada',
  'latchkey hub-token create kim urgent': 'latchkey account create kim',
  'latchkey revoke token': 'echo "$CAS_TOKEN" > token.txt',
  'latchkey backup backups/monday': 'cd "$HOME"',
  'export LATCHKEY_STORAGE_CREDENTIAL_FILE': `
    LATCHKEY_STORAGE_CREDENTIAL_FILE=cas.token latchkey storage serve --hub https://hub.example --cas-url 'https://cas.example/r/{repo}/{ref}' \
      --data latchkey-storage-data`,
  'latchkey restore backups/monday --data': `
    mkdir copy && cp -r backups latchkey-data copy && cd copy`,
  'latchkey restore backups/monday --only hub': `
    mkdir lost && mv latchkey-data/*.db* lost && rm -rf latchkey-data/objects`,
  'latchkey changes --since': 'cd "$HOME"',
}

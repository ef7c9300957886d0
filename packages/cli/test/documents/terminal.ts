/** A terminal in the folder of a hub that runs, where the blocks of a page are pasted one after the other. */

import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { freePort } from '@latchkey/testing/machine/free-port'
import { compileCache } from '@latchkey/testing/machine/latchkey-bin'
import { newIssuer } from '@latchkey/testing/tls/certificates'
import { writeXorb } from '@latchkey/xet/format'
import { onTestFinished } from 'vitest'
import { commit } from '../directory-file.ts'
import { latchkeyHere } from '../run-here.ts'
import { collect, type Ended, ended, type Surroundings } from '../run-latchkey.ts'
import { bothHere } from '../serve-here.ts'
import { putCommandHere } from './command-here.ts'
import { root, textOf } from './commands.ts'

const directory = {
  accounts: [{ name: 'grace', administrator: true }],
  namespaces: [{ name: 'acme', members: { grace: 'admin' } }],
  repositories: [
    {
      ...{ type: 'model', id: 'acme/bert', branches: { main: commit } },
      refs: { 'refs/pr/1': commit },
    },
    { type: 'model', id: 'acme/tiny-llama', branches: { main: commit } },
    { type: 'dataset', id: 'acme/corpus', branches: { main: commit } },
  ],
  hubTokens: [
    { account: 'grace', name: 'laptop', kind: 'write' },
    { account: 'grace', name: 'ops', kind: 'admin' },
  ],
}

/**
 * Servers run until they are ready, and what follows a journal until it has shown something. A hub has no storage beside it
 * until a soak: nothing here waits for it.
 */
const functions = `
set -eE -o pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
npx() { "$@"; }
latchkey() {
  case "$*" in
    *--help*) command latchkey "$@" ;;
    serve* | gate* | 'storage serve'* | 'forge serve'*) LATCHKEY_STORAGE=${rounds(0, 1) === 1} LATCHKEY_DATA=$(mktemp -d) during '[[ $(<"$log") == *"ready at"* ]]' "$@" ;;
    *--follow*) during 'command latchkey account create "seen-$RANDOM"; [ -s "$log" ]' "$@" ;;
    *) command latchkey "$@" ;;
  esac
}
during() {
  local seen=$1 log; shift; log=$(mktemp)
  command latchkey "$@" > "$log" 2>&1 &
  until eval "$seen"; do kill -0 $! || { cat "$log" >&2; return 1; }; sleep 0.2; done
  kill $!; wait $!
}
curl() {
  case "$*" in
    */chunks/* | */shards* | */files/ffff*) command curl "$@" ;; # shows how a storage refuses
    *) command curl --fail "$@" ;;
  esac
}
uploaded() { LATCHKEY_HUB=$HUB LATCHKEY_HUB_TOKEN_FILE=laptop.token command latchkey upload models/acme/bert "$1"; }
`

const uploading = 'FILE=$(uploaded model.safetensors)'
const asking = `
eval "$(LATCHKEY_HUB=$HUB LATCHKEY_HUB_TOKEN_FILE=laptop.token command latchkey token read models/acme/bert --env)"
TOKEN=$CAS_TOKEN CAS=$CAS_URL`

/** A process for each takes its time: only before pages that name what it makes. */
function prepared(commands: string): readonly string[] {
  return [
    ...(commands.includes('$FILE') ? [uploading] : []),
    ...(/TOKEN|CAS/.test(commands) ? [asking] : []),
  ]
}

export interface Terminal {
  /** In a shell of its own. Gives what is seen. */
  paste(blocks: readonly string[]): Promise<Ended>
  close(): Promise<void>
}

export async function openTerminal(cwd: string): Promise<Terminal> {
  const xorb = writeXorb([Buffer.from('a chunk')])
  const [port, storagePort] = [await freePort(), await freePort()]
  const tokens = await makeDirectory(cwd)
  write(cwd, { ...files, ...tokens, 'xorb.bin': xorb.bytes })
  const ports = { port: `${port}`, storagePort: `${storagePort}` }
  // For the guide about several storages.
  const storages = 'eu=https://cas.eu.example/r/{repo}/{ref}'
  const hub = await bothHere(join(cwd, 'latchkey-data'), {}, { ...ports, storages })
  const tools = join(cwd, '.tools')
  mkdirSync(tools)
  const endCommands = await putCommandHere(tools)
  const filled = fill({
    'https://hub.example': `http://127.0.0.1:${port}`,
    'https://cas.example': `http://127.0.0.1:${storagePort}`,
    '0.0.0.0': '127.0.0.1',
    '8080': `${port}`,
    '8081': `${await freePort()}`,
    '9090': `${await freePort()}`,
    '0123…': '$FILE',
    '89ab…': '$FILE',
    HASH: '$FILE',
    '4567…': xorb.hash,
    '<id>': '$ID',
    ' …': '',
    '/etc/latchkey/hub-token': '$HOME/ops.token',
    'after=1794777759677&wait=30': 'wait=1',
  })
  const env = {
    PATH: `${tools}:${join(root, 'node_modules/.bin')}:/usr/local/bin:/usr/bin:/bin`,
    HOME: cwd,
    HUB: `http://127.0.0.1:${port}`,
    ROOT: root,
    LATCHKEY_PORT: '0',
    LATCHKEY_STORAGE_PORT: '0',
    NODE_COMPILE_CACHE: compileCache,
  }
  return {
    paste(blocks) {
      const commands = blocks.map(filled).join('\n')
      const script = [functions, ...prepared(commands), commands].join('\n')
      // A command that asks for a hub token gets one.
      return runShell(script, { cwd, env, input: tokens['laptop.token'] ?? '' })
    },
    async close() {
      endCommands()
      await hub.stop()
    },
  }
}

/** The file of each hub token, by its name. */
async function makeDirectory(cwd: string): Promise<Readonly<Record<string, string>>> {
  const input = JSON.stringify(directory)
  const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input })
  const made: { name: string; token: string }[] = JSON.parse(stdout).hubTokens
  return Object.fromEntries(made.map(({ name, token }) => [`${name}.token`, token]))
}

function fill(words: Readonly<Record<string, string>>) {
  return (block: string) =>
    Object.entries(words).reduce((text, [from, to]) => text.replaceAll(from, to), block)
}

/** In a group of its own, so that nothing of it outlives the test. */
async function runShell(script: string, { cwd, env, input = '' }: Surroundings): Promise<Ended> {
  const shell = spawn('bash', ['-c', script], { cwd, env, stdio: 'pipe', detached: true })
  onTestFinished(() => {
    if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL')
  })
  const output = collect(shell)
  shell.stdin.on('error', () => {})
  shell.stdin.end(input)
  return { code: await ended(shell), ...output() }
}

const [, documented = ''] = /```json\n(.*?)```/s.exec(textOf('docs/guides/apply-file.md')) ?? []

/** What the commands read. */
const files: Readonly<Record<string, string>> = {
  'leaked.json': JSON.stringify({ tokens: ['lk_nobody'] }),
  'acme.json': documented,
  'ca.pem': newIssuer('an issuer of your own').cert,
  'model.safetensors': 'a model',
  'weights.bin': 'weights',
  'a.parquet': 'a',
  'b.parquet': 'b',
  'run-7/log': 'a run',
  'bert/config.json': '{ "layers": 12 }',
  'bert/tokenizer/words': 'words',
  'a/file': 'a file',
  'x/b.txt': 'b',
}

function write(cwd: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), content, { mode: 0o600 })
  }
}

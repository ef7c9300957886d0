/** The tutorial "Your own hub": its commands in order in an empty folder, with its files, behind Caddy. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { newIssuer } from '@latchkey/testing/tls/certificates'
import { findProgram, searchPath } from '@latchkey/testing/tools/find-program'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textOf } from './documents/commands.ts'
import { collect, end, environmentOf, putCommand, ready, start } from './run-latchkey.ts'

const text = textOf('docs/start/your-own-hub.md')

interface Fence {
  readonly language: string
  readonly content: string
  /** The file that the sentence before it names. */
  readonly file: string | undefined
}

const fences: readonly Fence[] = Array.from(
  text.matchAll(/^```(\w*)\n(.*?)^```$/gms),
  ({ index, 1: language = '', 2: content = '' }) => {
    const before = text.slice(0, index).trimEnd().split('\n\n').at(-1) ?? ''
    return { language, content, file: /Write this file `([^`]+)`/.exec(before)?.[1] }
  },
)
const blocks = fences.filter(({ language }) => language === 'sh').map(({ content }) => content)
const fileOf = (name: string) => fences.find(({ file }) => file === name)?.content ?? ''

test('the tutorial writes three files and begins each step with its command', () => {
  expect(fences.flatMap(({ file }) => file ?? [])).toEqual([
    'hub.json',
    'Caddyfile',
    'latchkey.service',
  ])
  expect(blocks.map((block) => block.split('\n')[0])).toEqual([
    'npm install ../latchkey-packages/latchkey-[0-9]*.tgz',
    'npx latchkey account create ada --administrator',
    'npx latchkey serve --forge',
    'export HF_ENDPOINT=http://127.0.0.1:8080',
    'caddy validate --config Caddyfile',
    'curl https://hub.example/.well-known/jwks.json',
    'npx latchkey account create grace',
    'export HF_ENDPOINT=https://hub.example',
    'npx latchkey backup backups/first',
  ])
})

const systemd = findProgram('systemd-analyze')
if (systemd === undefined)
  console.warn('NOT TESTED: systemd-analyze is missing, so the unit of the tutorial is only read')

test('the unit of the tutorial is right for systemd, and starts the hub with its file', () => {
  const unit = fileOf('latchkey.service')
  const [, program, words] = /^ExecStart=(\S+) (.*)$/m.exec(unit) ?? []
  expect(program).toBe('/srv/latchkey/node_modules/.bin/node')
  expect(words).toBe('node_modules/latchkey/bin/latchkey.js serve --config hub.json')
  if (systemd === undefined) return
  const file = join(sharedFolder(), 'latchkey.service')
  writeFileSync(
    file,
    unit.replace(program ?? '', '/bin/true').replace('User=latchkey', 'User=root'),
  )
  const { stdout, stderr } = spawnSync(systemd, ['verify', '--man=no', file], { encoding: 'utf8' })
  expect((stdout + stderr).split('\n').filter((line) => line.includes('latchkey.service'))).toEqual(
    [],
  )
})

const hf = pythonClients.at(-1)
const programs = ['bash', 'git', 'curl', 'caddy']
const missing = [
  ...programs.filter((name) => findProgram(name) === undefined),
  ...(hf === undefined || !isInstalled(hf) ? ['hf'] : []),
]
if (missing.length > 0)
  console.warn(`SKIPPED: ${missing.join(', ')} cannot be found, so the tutorial is not run`)

describe.skipIf(missing.length > 0)('the tutorial, run in order', () => {
  const cwd = sharedFolder()
  const tools = sharedFolder()
  const issuer = newIssuer('the tutorial')
  const certificate = issuer.issue({ names: ['localhost', '127.0.0.1'] })
  const running: ChildProcess[] = []
  let words: readonly (readonly [string, string])[] = []
  let env: Record<string, string> = {}

  beforeAll(async () => {
    putCommand(tools)
    const [port, storagePort, operations, tls] = [
      ...[await freePort(), await freePort()],
      ...[await freePort(), await freePort()],
    ]
    words = [
      ['https://hub.example', `https://localhost:${tls}`],
      ['https://cas.example', `https://127.0.0.1:${tls}`],
      ['\nhub.example {', `\nhttps://localhost:${tls} {\n\ttls ${cwd}/tls.pem ${cwd}/tls.key`],
      ['\ncas.example {', `\nhttps://127.0.0.1:${tls} {\n\ttls ${cwd}/tls.pem ${cwd}/tls.key`],
      ['8080', `${port}`],
      ['8081', `${storagePort}`],
      ['9090', `${operations}`],
      // No second Caddy on a machine with a Caddy has this port.
      ['auto_https', 'admin off\n\tauto_https'],
    ]
    for (const [name, pem] of Object.entries({
      'tls.pem': certificate.cert,
      'tls.key': certificate.key,
      'ca.pem': issuer.cert,
    })) {
      writeFileSync(join(cwd, name), pem)
    }
    const path = [tools, dirname(hf?.python ?? ''), searchPath()].join(delimiter)
    const trusted = join(cwd, 'ca.pem')
    env = {
      ...environmentOf({ cwd, env: { PATH: path } }),
      ...{ LATCHKEY_PORT: `${port}`, LATCHKEY_STORAGE_PORT: `${storagePort}` },
      ...{ LATCHKEY_CA_CERT: trusted, CURL_CA_BUNDLE: trusted, GIT_SSL_CAINFO: trusted },
      ...{ SSL_CERT_FILE: trusted },
      ...{ GIT_LFS_SKIP_SMUDGE: '1', HF_HUB_DISABLE_PROGRESS_BARS: '1' },
      ...{ HF_HOME: join(cwd, 'hf'), XDG_CONFIG_HOME: cwd, XDG_DATA_HOME: cwd },
    }
    for (const name of ['hub.json', 'Caddyfile', 'latchkey.service']) {
      writeFileSync(join(cwd, name), filled(fileOf(name)))
    }
  })
  afterAll(() => Promise.all(running.map(end)))

  const filled = (block: string) =>
    words.reduce((content, [from, to]) => content.replaceAll(from, to), block)
  const blockOf = (beginning: string) =>
    filled(blocks.find((block) => block.startsWith(beginning)) ?? 'exit 70')

  function paste(beginning: string, folder = cwd) {
    const script = ['set -e', 'npx() { "$@"; }', blockOf(beginning)].join('\n')
    const around = { cwd: folder, encoding: 'utf8', env: { ...env, HOME: folder } } as const
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], around)
    expect(status, stderr).toBe(0)
    return stdout + stderr
  }

  async function serve(args: readonly string[]) {
    const child = start(args, { cwd, env })
    running.push(child)
    await ready(child)
    return child
  }

  test('the hub, its first user, a model, TLS, a second user and a backup', {
    retry: 0,
  }, async () => {
    expect(paste('npx latchkey account create ada')).toContain(
      'the secret is written to ada.token, for its owner only',
    )
    const first = await serve(['serve', '--forge'])
    const uploaded = paste('export HF_ENDPOINT=http://')
    for (const line of ['Repo created', 'Uploaded', 'Downloaded', 'the same file']) {
      expect(uploaded).toContain(line)
    }
    await end(first)

    await serve(['serve', '--config', 'hub.json'])
    expect(paste('caddy validate')).toContain('Valid configuration')
    await startCaddy()
    const checked = paste('curl ')
    expect(checked).toContain('"keys":[')
    // It notices that these names are of this machine.
    expect(checked).toMatch(/all is well|no faults, 1 warning/)
    expect(checked).not.toContain('✗')
    expect(checked).toMatch(/https:\/\/127\.0\.0\.1:\d+ leads to it/)

    expect(paste('npx latchkey account create grace')).toContain('allowed')
    const laptop = join(cwd, 'laptop')
    mkdirSync(laptop)
    writeFileSync(join(laptop, 'grace.token'), readFileSync(join(cwd, 'grace.token')), {
      mode: 0o600,
    })
    paste('export HF_ENDPOINT=https://', laptop)
    const model = 'model.safetensors'
    expect(readFileSync(join(laptop, 'first', model), 'utf8')).toContain('sha256')
    const downloaded = readFileSync(join(laptop, 'first-files', model))
    expect(downloaded.equals(readFileSync(join(cwd, model)))).toBe(true)
    expect(readFileSync(join(laptop, 'first/.git/config'), 'utf8')).not.toContain('lk_')

    expect(paste('npx latchkey backup')).toContain('it is whole')
  })

  async function startCaddy() {
    const child = spawn('caddy', ['run', '--config', 'Caddyfile'], { cwd, env, stdio: 'pipe' })
    running.push(child)
    const output = collect(child)
    await expect
      .poll(() => output().stderr, { timeout: 60_000 })
      .toContain('serving initial configuration')
  }
})

import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commit } from '../directory-file.ts'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { end, ready, type Serving, start, temporaryDirectory } from '../run-latchkey.ts'
import { hubHere, storageHere } from '../serve-here.ts'

const credential = `lk_${'c'.repeat(49)}`
const env = { LATCHKEY_STORAGE_CREDENTIAL: credential }
const casUrl = 'http://127.0.0.1:8081/r/{repo}/{ref}'
const urls = ['--hub', 'http://127.0.0.1:9', '--cas-url', casUrl]

async function serveAlone(args: readonly string[], cwd: string): Promise<Serving> {
  const child = start(['storage', 'serve', ...args], { cwd, env })
  onTestFinished(() => end(child))
  return ready(child)
}

describe('a storage alone ends with one line when', () => {
  const start = async (args: readonly string[], cwd: string) => {
    const { code, stderr } = await latchkey(['storage', 'serve', ...args], { cwd, env })
    expect(stderr).toMatch(/^[^\n]+\n$/)
    return [code, stderr]
  }

  it('it is not told what it needs', async () => {
    const missing = 'latchkey: --hub URL is missing: the hub whose tokens the storage accepts.'
    const [code, line] = await start(['--cas-url', casUrl], temporaryDirectory())
    expect([code, line]).toEqual([2, expect.stringContaining(missing)])
  })

  it('others can read the key of its blob URLs', async () => {
    const cwd = temporaryDirectory()
    mkdirSync(join(cwd, 'data'), { mode: 0o700 })
    writeFileSync(join(cwd, 'data', 'blob-url-key'), `${Buffer.alloc(32).toString('base64')}\n`)
    chmodSync(join(cwd, 'data', 'blob-url-key'), 0o640)
    const [code, line] = await start(['--port', '0', '--data', 'data', ...urls], cwd)
    const says = 'latchkey: data/blob-url-key can be read by other users (mode 640)'
    expect([code, line]).toEqual([3, expect.stringContaining(says)])
  })
})

it('a storage alone starts before its hub, says so, and is ready once there is one', async () => {
  const [hubPort, port] = [await freePort(), await freePort()]
  const hubUrl = `http://127.0.0.1:${hubPort}`
  const address = `http://127.0.0.1:${port}/r/{repo}/{ref}`
  const cwd = temporaryDirectory()
  const polled = ['--revocations-poll-seconds', '3']
  const words = ['--hub', hubUrl, '--cas-url', address, '--port', String(port), ...polled]
  const storage = await serveAlone(words, cwd)
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${storage.url}${path}`, { headers })).status
  expect(storage.output().stderr.split('\n')[0]).toBe(
    `warning: the hub ${hubUrl} cannot be reached yet; requests get 503 until it can`,
  )
  await expect
    .poll(() => storage.output().stderr)
    .toContain('revoked tokens are rejected within 7 s')
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503])
  const anyToken = { authorization: `Bearer ${'e'.repeat(20)}.e30.e30` }
  const early = await fetch(`${storage.url}/r/a/b/v1/files/x`, { headers: anyToken })
  expect([early.status, await early.json()]).toMatchObject([503, { code: 'gate_not_ready' }])

  const logged = () => storage.output().stdout
  await expect.poll(logged).toMatch(/"event":"keys_not_fetched","reason":"[^"]+ECONNREFUSED/)

  const hub = await startHub(hubPort, address)
  await expect.poll(() => status('/readyz')).toBe(200)
  // The hub does not know this credential: what was stored is served, and what is sent is refused with the reason.
  const readiness = async () => (await fetch(`${storage.url}/readyz`)).json()
  const revocations = {
    ageSeconds: expect.any(Number),
    seq: expect.any(Number),
    ...{ normalBoundSeconds: 7, withheldBoundSeconds: 60, whenStale: 'reject' },
  }
  await expect.poll(readiness).toEqual({ status: 'ready', hub: 'refuses', revocations })
  await expect
    .poll(logged)
    .toMatch(
      /"event":"hub_unreachable","reason":"the hub refused the credential of the storage \(401 /,
    )
  const { casUrl: place, accessToken } = await tokenOf(hub)
  const authorization = { authorization: `Bearer ${accessToken}` }
  const path = `${new URL(place).pathname}/v1/reconstructions/${'a'.repeat(64)}`
  expect([await status(path), await status(path, authorization)]).toEqual([401, 404])
  const metrics = await (await fetch(`${storage.url}/metrics`)).text()
  expect(metrics).toContain('latchkey_storage_requests_total{')
  expect(metrics).not.toContain('disk_free')
  expect(metrics).toContain('\nprocess_start_time_seconds ')
  expect(metrics).toMatch(/^latchkey_storage_revocation_snapshot_age_seconds \d/m)
  expect(metrics).toContain('latchkey_storage_revocation_bound_seconds{when="normal"} 7')

  storage.child.kill('SIGTERM')
  expect(await storage.ended()).toBe(0)
  const { stdout, stderr } = storage.output()
  expect(stdout + stderr).not.toContain(credential)
})

it('a storage alone whose objects belong to no catalogue says so, and does not blame its hub', async () => {
  const cwd = temporaryDirectory()
  const marker = join(cwd, 'data', 'objects', 'store', '1.json')
  mkdirSync(dirname(marker), { recursive: true, mode: 0o700 })
  writeFileSync(marker, 'spoiled')
  const storage = await serveAlone(['--port', '0', '--data', 'data', ...urls], cwd)
  const { stderr } = storage.output()
  expect(stderr.split('\n')[0]).toBe(
    'warning: requests get 503, because the content cannot be used. The marker of the object store is damaged.',
  )
  expect(stderr).not.toContain('cannot be reached')
})

it('a storage alone keeps the key of its blob URLs for itself, and can be watched elsewhere', async () => {
  const cwd = temporaryDirectory()
  const key = join(cwd, 'latchkey-storage-data', 'blob-url-key')
  const keys: string[] = []
  for (const round of [1, 2]) {
    const operations = await freePort()
    const flags = { hub: 'http://127.0.0.1:9', casUrl, port: '0', data: dirname(key) }
    const storage = await storageHere({ ...flags, operationsPort: `${operations}` }, env)
    onTestFinished(storage.stop)
    keys.push(readFileSync(key, 'utf8'))
    const statuses = ['healthz', 'metrics'].map(async (path) => [
      (await fetch(`http://127.0.0.1:${operations}/${path}`)).status,
      (await fetch(`${storage.url}/${path}`)).status,
    ])
    expect([round, await Promise.all(statuses)]).toEqual([
      round,
      [
        [200, 401],
        [200, 401],
      ],
    ])
    await storage.stop()
  }
  expect(statSync(key).mode & 0o777).toBe(0o600)
  expect(Buffer.from(keys[0] ?? '', 'base64')).toHaveLength(32)
  expect(keys[1]).toBe(keys[0])
})

interface Hub {
  readonly url: string
  readonly token: string
}

async function startHub(port: number, casUrl: string): Promise<Hub> {
  const cwd = temporaryDirectory()
  const directory = {
    accounts: [{ name: 'ada', administrator: true }],
    namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
    repositories: [
      { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
    ],
    hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
  }
  const input = JSON.stringify(directory)
  const { stdout } = await latchkey(['apply', '-', '--json'], { cwd, input })
  const flags = { port: String(port), casUrl, storage: false }
  const { url, stop } = await hubHere(join(cwd, 'latchkey-data'), flags)
  onTestFinished(stop)
  return { url, token: JSON.parse(stdout).hubTokens[0].token }
}

async function tokenOf({ url, token }: Hub): Promise<{ casUrl: string; accessToken: string }> {
  const path = '/api/models/acme/bert/storage-write-token/main'
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
  return (await answer.json()) as { casUrl: string; accessToken: string }
}

/** Unmodified clients upload and download through three storages of one bucket, of which one is killed each second. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createRepo, downloadFile, uploadFiles } from '@huggingface/hub'
import { rounds } from '@latchkey/testing/chance'
import { freePort } from '@latchkey/testing/machine/free-port'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { type FaultProxy, startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { startVersitygw } from '@latchkey/testing/s3/stores'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { expect, onTestFinished, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { end, ready, type Serving, start, temporaryDirectory } from '../run-latchkey.ts'
import { startFront } from './front.ts'

const so = 'clients are not tested with storages that are killed'
const isMissing = [isPostgresMissing(so), isVersitygwMissing(so)].includes(true)
const environment = pythonClients.at(-1)
const hasPython = environment !== undefined && isInstalled(environment)
/** Each start of a process takes more than a second of a core. */
const transfers = rounds(0, 8)
const run = promisify(execFile)

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'cas', kind: 'storage' },
  ],
})

interface Site {
  readonly cwd: string
  readonly hubUrl: string
  readonly token: string
  /** Content that clients put into the store themselves passes here, if the storages let them. */
  readonly door: FaultProxy
}

/** One of three storages is killed each second until the work is done; gives how many were. */
async function killStorages(
  { lets }: { readonly lets: 'grants' | 'no grants' },
  work: (site: Site) => Promise<void>,
): Promise<number> {
  const own = await ownDatabase()
  const store = await startVersitygw()
  onTestFinished(() => store.kill())
  const door = await startFaultProxy(store.port)
  onTestFinished(() => door.close())
  const cwd = temporaryDirectory()
  const prefix = { LATCHKEY_HUB_TOKEN_PREFIX: 'hf_' }
  const applied = await latchkeyHere(['apply', '-', '--json'], {
    ...{ cwd, env: prefix, input: directory },
  })
  const tokens: { name: string; token: string }[] = JSON.parse(applied.stdout).hubTokens
  const tokenOf = (wanted: string) => tokens.find(({ name }) => name === wanted)?.token ?? ''
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const front = await startFront(ports)
  onTestFinished(front.close)
  const casUrl = `${front.url}/r/{repo}/{ref}`
  const serving = start(['serve', '--port', '0', '--forge', '--no-storage', '--cas-url', casUrl], {
    ...{ cwd, env: prefix },
  })
  onTestFinished(() => end(serving))
  const { url: hubUrl } = await ready(serving)
  const { bucket, endpoint, credentials } = store.newPlace()
  const words = ['storage', 'serve', '--hub', hubUrl, '--cas-url', casUrl]
  const place = ['--objects', `s3://${bucket}/content`, '--objects-endpoint', endpoint]
  if (lets === 'grants') place.push('--objects-public-endpoint', door.endpoint)
  const env = {
    LATCHKEY_STORAGE_CREDENTIAL: tokenOf('cas'),
    LATCHKEY_STORAGE_DATABASE: own.url,
    LATCHKEY_STORAGE_MASTER_KEY: randomBytes(32).toString('base64'),
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  const startStorage = async (index: number): Promise<Serving> => {
    const own = ['--port', String(ports[index]), '--data', `storage-${index}`]
    const child = start([...words, ...place, ...own], { cwd, env })
    onTestFinished(() => end(child))
    const storage = await ready(child)
    logs.push(() => storage.output().stdout)
    return storage
  }
  const logs: (() => string)[] = []
  const storages: (Serving | undefined)[] = []
  for (const index of ports.keys()) storages.push(await startStorage(index))

  const over = new AbortController()
  let kills = 0
  const killing = (async () => {
    const starting = new Set<Promise<void>>()
    for (let index = 0; !over.signal.aborted; index = (index + 1) % ports.length) {
      await delay(1000)
      const victim = storages[index]
      // One is left that answers.
      const left = storages.filter((storage) => storage !== undefined && storage !== victim)
      if (victim === undefined || left.length === 0) continue
      storages[index] = undefined
      await end(victim.child)
      kills += 1
      const restart = startStorage(index).then((storage) => {
        storages[index] = storage
        starting.delete(restart)
      })
      starting.add(restart)
    }
    await Promise.all(starting)
  })()
  const started = performance.now()
  try {
    await work({ cwd, hubUrl, token: tokenOf('laptop'), door })
  } finally {
    over.abort()
    await killing
    const lines = logs.flatMap((log) => log().split('\n'))
    expect(lines.filter((line) => line.includes('storage_failed'))).toEqual([])
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  console.info(
    `${kills} storages were killed in ${seconds} s; ${front.repeated()} requests were repeated, ${front.broken()} responses broke`,
  )
  return kills
}

/** Uploads files with `huggingface_hub`, and downloads each into an empty cache. */
async function transferByPython(
  { cwd, hubUrl, token }: Site,
  { count, bytes }: { readonly count: number; readonly bytes: number },
): Promise<void> {
  if (!hasPython) return
  const program = join(import.meta.dirname, 'huggingface.py')
  const python = run(environment.python, [program], {
    env: {
      ...{ HOME: cwd, HF_HOME: join(cwd, 'hf'), HF_ENDPOINT: hubUrl },
      ...{ PATH: process.env['PATH'] ?? '', HF_HUB_DISABLE_TELEMETRY: '1' },
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
    },
  })
  const sizes = { rounds: count, bytes }
  const asked = { token, folder: cwd, repos: ['acme/py'], ...sizes }
  python.child.stdin?.end(JSON.stringify(asked))
  expect(JSON.parse((await python).stdout)).toEqual(Array(count).fill(true))
}

// conformance: Guarantees / Unmodified Hugging Face clients upload and download
test.skipIf(isMissing || transfers === 0)(
  'what huggingface_hub and huggingface.js upload comes back byte for byte, whichever storage is killed',
  async () => {
    const kills = await killStorages({ lets: 'no grants' }, async (site) => {
      const about = { repo: 'acme/js', accessToken: site.token, hubUrl: site.hubUrl }
      await createRepo({ ...about, visibility: 'private' })
      for (let round = 0; round < transfers; round += 1) {
        const content = randomBytes(3_000_000)
        const path = `weights-${round}.bin`
        const files = [{ path, content: new Blob([new Uint8Array(content)]) }]
        await uploadFiles({ ...about, files, useXet: true })
        expect(content.equals(await downloaded({ ...about, path })), path).toBe(true)
      }
      await transferByPython(site, { count: transfers, bytes: 8_000_000 })
    })
    expect(kills).toBeGreaterThan(transfers)
  },
  600_000,
)

test.skipIf(isMissing || transfers === 0 || !hasPython)(
  'what huggingface_hub puts into the store by grant comes back byte for byte, whichever storage is killed',
  async () => {
    const bytes = 8_000_000
    const kills = await killStorages({ lets: 'grants' }, async (site) => {
      await transferByPython(site, { count: transfers, bytes })
      const puts = site.door.requests.filter(({ kind, status }) => kind === 'put' && status === 200)
      const sent = puts.reduce((sum, { sentBytes }) => sum + sentBytes, 0)
      expect(sent).toBeGreaterThanOrEqual(transfers * bytes)
    })
    expect(kills).toBeGreaterThan(transfers)
  },
  600_000,
)

/** This client begins nothing anew: its user does. */
async function downloaded(file: Parameters<typeof downloadFile>[0]): Promise<Buffer> {
  for (let left = 20; ; left -= 1) {
    try {
      const blob = await downloadFile(file)
      return Buffer.from(await (blob ?? new Blob()).arrayBuffer())
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

/** A hub whose content is in a bucket, a storage of another machine, and a gate before somebody's own store: processes as operators start them. */

import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@latchkey/testing/machine/free-port'
import { type FaultProxy, startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, type S3PlaceOfTest, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { end, ready, type Serving, start } from '../run-latchkey.ts'

const isMissing = isVersitygwMissing('a hub with its content in a bucket is not tested')
const python = pythonClients.at(-1)
const hasPython = python !== undefined && isInstalled(python)
if (!hasPython) console.warn('NOT TESTED: huggingface_hub with several storages is not installed')

const directory = JSON.stringify({
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: ['acme', 'berlin', 'kept'].map((name) => ({ name, members: { ada: 'admin' } })),
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

describe.skipIf(isMissing)('one hub with three storages', () => {
  const tidy: (() => unknown)[] = []
  let store: LocalS3Store
  let place: S3PlaceOfTest
  /** Between clients and the bucket. */
  let door: FaultProxy
  let cwd = ''
  let token = ''
  let env: Record<string, string> = {}
  let hubWords: readonly string[] = []
  let hub: Serving

  const run = async (words: string, input = '') => {
    const { code, stdout, stderr } = await latchkeyHere(words.split(' '), { cwd, env, input })
    if (code !== 0) throw new Error(`latchkey ${words}: ${stderr}`)
    return stdout
  }
  const launch = async (words: readonly string[], more = {}) => {
    const child = start(words, { cwd, env: { ...env, ...more } })
    tidy.unshift(() => end(child))
    return ready(child)
  }
  const askHub = (path: string) =>
    fetch(hub.url + path, { headers: { authorization: `Bearer ${token}` } })

  beforeAll(async () => {
    store = await sharedVersitygw()
    place = store.newPlace()
    door = await startFaultProxy(store.port)
    tidy.push(() => door.close())
    cwd = mkdtempSync(join(tmpdir(), 'latchkey-three-'))
    tidy.push(() => rmSync(cwd, { recursive: true, force: true }))
    const { bucket, endpoint, credentials } = place
    env = {
      LATCHKEY_HUB_TOKEN_PREFIX: 'hf_',
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }
    token = JSON.parse(await run('apply - --json', directory)).hubTokens[0].token
    const ports = await Promise.all(Array.from({ length: 4 }, freePort))
    const [port, storagePort, euPort, keptPort] = ports.map(String)
    const eu = `http://127.0.0.1:${euPort}/r/{repo}/{ref}`
    const kept = `http://127.0.0.1:${keptPort}/r/{repo}/{ref}`
    hubWords = [
      ...['serve', '--forge', '--port', `${port}`, '--storage-port', `${storagePort}`],
      ...['--objects', `s3://${bucket}/a/hub`, '--objects-endpoint', endpoint],
      ...['--objects-public-endpoint', door.endpoint],
      ...['--storages', `eu=${eu},kept=${kept}`],
    ]
    hub = await launch(hubWords)
    await run('namespace set berlin --storage eu')
    await run('namespace set kept --storage kept')
    const created = await run('hub-token create ada eu --kind storage --storage eu --json')
    const words = ['storage', 'serve', '--hub', hub.url, '--cas-url', eu, '--port', `${euPort}`]
    const credential = { LATCHKEY_STORAGE_CREDENTIAL: JSON.parse(created).token }
    const somebodys = createServer((request, response) => response.end(`kept ${request.url}`))
    await new Promise<void>((resolve) => void somebodys.listen(0, '127.0.0.1', resolve))
    tidy.push(() => somebodys.close())
    const upstream = `http://127.0.0.1:${(somebodys.address() as AddressInfo).port}/{repo}/{ref}`
    await Promise.all([
      launch([...words, '--data', 'eu'], credential),
      launch([
        ...['gate', '--hub', hub.url, '--cas-url', kept, '--port', `${keptPort}`],
        ...['--upstream', upstream],
      ]),
    ])
  })
  afterAll(async () => {
    for (const step of tidy) await step()
    await store?.kill()
  })

  // conformance: Guarantees / Unmodified Hugging Face clients upload and download
  test.skipIf(!hasPython)(
    'gets from huggingface_hub what goes to the bucket or to the other machine, and has it after a restart',
    async () => {
      const program = join(import.meta.dirname, 'huggingface.py')
      const client = promisify(execFile)(python?.python ?? '', [program], {
        env: {
          ...{ HOME: cwd, HF_HOME: join(cwd, 'hf'), HF_ENDPOINT: hub.url },
          ...{ PATH: process.env['PATH'] ?? '', HF_HUB_DISABLE_TELEMETRY: '1' },
        },
      })
      const repos = ['acme/py', 'berlin/py']
      client.child.stdin?.end(
        JSON.stringify({ token, folder: cwd, repos, rounds: 1, bytes: 300_000 }),
      )
      expect(JSON.parse((await client).stdout)).toEqual([true, true])
      // By grant: its client puts into the bucket what the storage reads back.
      const granted = door.requests.map(({ kind, status, sentBytes }) => [kind, status, sentBytes])
      expect(granted).toEqual([['put', 200, expect.any(Number)]])
      expect(door.requests[0]?.sentBytes).toBeGreaterThanOrEqual(300_000)
      const bytesIn = (folder: string) =>
        globSync('objects/??/*', { cwd: folder })
          .map((name) => readFileSync(join(folder, name)).length)
          .reduce((sum, bytes) => sum + bytes, 0)
      for (const folder of [store.fileOf(place, ''), join(cwd, 'eu')]) {
        expect(bytesIn(folder)).toBeGreaterThanOrEqual(300_000)
        expect(bytesIn(folder)).toBeLessThan(600_000)
      }
      expect(globSync('objects/??/*', { cwd: join(cwd, 'latchkey-data') })).toEqual([])

      hub.child.kill('SIGTERM')
      expect(await hub.ended()).toBe(0)
      hub = await launch(hubWords)
      for (const [index, repo] of repos.entries()) {
        const name = `weights-${index}.bin`
        const response = await askHub(`/${repo}/resolve/main/${name}`)
        expect(response.status).toBe(200)
        const bytes = Buffer.from(await response.arrayBuffer())
        expect(bytes.equals(readFileSync(join(cwd, name))), repo).toBe(true)
      }
    },
  )

  test('issues tokens that open no storage but their own', async () => {
    const repositories = ['acme', 'berlin', 'kept'].map((name) => `models/${name}/apart`)
    for (const repository of repositories) {
      await run(`repo create ${repository}`)
      await run(`ref set ${repository} main ${'a'.repeat(40)}`)
    }
    const tokens = await Promise.all(
      repositories.map(async (repository) => {
        const response = await askHub(`/api/${repository}/storage-read-token/main`)
        return (await response.json()) as { accessToken: string; casUrl: string }
      }),
    )
    const statuses = await Promise.all(
      tokens.map(({ casUrl }) =>
        Promise.all(
          tokens.map(async ({ accessToken }) => {
            const headers = { authorization: `Bearer ${accessToken}` }
            const path = `/v1/reconstructions/${'a'.repeat(64)}`
            return (await fetch(casUrl + path, { headers })).status
          }),
        ),
      ),
    )
    expect(statuses).toEqual([
      [404, 401, 401],
      [401, 404, 401],
      [401, 401, 200],
    ])
  })
})

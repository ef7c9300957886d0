/** `latchkey conform --cas` against the gate as a library, the gateway and the storage of Latchkey. */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGate } from '@latchkey/gate'
import { freePort } from '@latchkey/testing/machine/free-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStorage } from '../../../../examples/express-storage/storage.ts'
import { collect, type Ended, end, ended, ready, start } from '../run-latchkey.ts'
import { gateHere } from '../serve-here.ts'

interface Addresses {
  readonly hubUrl: string
  readonly casUrl: string
  readonly port: number
}

/** It asks its hub more often than usual, so that no check waits long. */
interface Server {
  readonly profiles: readonly string[]
  readonly flags?: readonly string[]
  open(addresses: Addresses): Promise<unknown>
}

const [cwd, tidy] = [mkdtempSync(join(tmpdir(), 'latchkey-conform-')), [] as (() => unknown)[]]
// The hub is not there when the gate opens.
const quiet = { onKeyFailure() {}, onRevocationFailure() {} }
const storageCredential = `lk_${'c'.repeat(49)}`

const servers: Readonly<Record<string, Server>> = {
  'the gate as a library in Express': {
    profiles: ['verifier', 'storage'],
    flags: ['--files', '/files/{name}'],
    async open({ hubUrl, casUrl, port }) {
      const gate = createGate({ hubUrl, casUrl, pollSeconds: 1, ...quiet })
      tidy.push(() => gate.close())
      await listen(openStorage(gate), port)
    },
  },
  'the gateway in front of a server': {
    profiles: ['verifier'],
    async open({ hubUrl, casUrl, port }) {
      const upstream = await listen((request, response) => {
        request.resume().once('end', () => response.end('hello'))
      })
      const gate = await gateHere({
        ...{ hub: hubUrl, casUrl, port: String(port), revocationsPollSeconds: '1' },
        upstream: `${upstream}/{repo}/{ref}`,
      })
      tidy.push(() => gate.stop())
    },
  },
  'the storage': {
    profiles: ['verifier', 'storage'],
    async open({ hubUrl, casUrl, port }) {
      const place = ['--hub', hubUrl, '--cas-url', casUrl, '--port', String(port)]
      const words = ['storage', 'serve', ...place, '--revocations-poll-seconds', '1']
      const child = start(words, { cwd, env: { LATCHKEY_STORAGE_CREDENTIAL: storageCredential } })
      tidy.push(() => end(child))
      await ready(child)
    },
  },
}

const runs = new Map<string, Promise<Ended>>()

/** All at once: most of the time a run waits until a revocation list is stale. */
beforeAll(() => {
  for (const [name, server] of Object.entries(servers)) runs.set(name, run(server))
})

afterAll(async () => {
  await Promise.all(tidy.map((step) => step()))
  rmSync(cwd, { recursive: true })
})

// conformance: Attacks by form of the gate / The tests send every request of the table
test.each(Object.keys(servers))(
  '%s passes all checks of its profiles',
  async (name) => {
    expect(await runs.get(name)).toEqual({
      code: 0,
      stderr: expect.stringContaining('playing the hub'),
      stdout: expect.stringMatching(/\nchecks: {2}\d+ passed, 0 failed(?:, 1 skipped)?\n$/),
    })
  },
  120_000,
)

async function run({ profiles, flags = [], open }: Server): Promise<Ended> {
  const [hubPort, port] = [await freePort(), await freePort()]
  const casUrl = `http://127.0.0.1:${port}/r/{repo}/{ref}`
  const profileWords = profiles.flatMap((profile) => ['--profile', profile])
  const words = ['conform', '--cas', casUrl, '--hub-port', String(hubPort)]
  const child = start([...words, ...profileWords, ...flags], { cwd })
  tidy.push(() => end(child))
  const output = collect(child)
  await open({ hubUrl: `http://127.0.0.1:${hubPort}`, casUrl, port })
  return { code: await ended(child), ...output() }
}

async function listen(listener: RequestListener, port = 0): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  tidy.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

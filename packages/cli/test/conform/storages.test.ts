/** `latchkey conform --cas` passes all gates and storages of Latchkey; those in other languages in a soak. */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ConformFlags, runConform } from '@latchkey/conform'
import { createGate } from '@latchkey/gate'
import { rounds } from '@latchkey/testing/chance'
import { freePort } from '@latchkey/testing/machine/free-port'
import {
  findGo,
  goEnvironment,
  goExample,
  hasModulesOfExample,
} from '@latchkey/testing/tools/go-program'
import { isInstalled, pythonVerifier } from '@latchkey/testing/tools/python-environments'
import { runProgram } from '@latchkey/testing/tools/run-program'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStorage } from '../../../../examples/express-storage/storage.ts'
import { type Ended, end } from '../run-latchkey.ts'
import { gateHere, storageHere } from '../serve-here.ts'

interface Addresses {
  readonly hubUrl: string
  readonly casUrl: string
  readonly port: number
}

interface Server {
  readonly flags: ConformFlags
  /** The checks that do not apply to it. */
  readonly skipped: readonly string[]
  open(addresses: Addresses): Promise<unknown>
}

/** Its routes name no digest of the content. */
const filesByName = {
  flags: { files: '/files/{name}' },
  skipped: ['storage-verifies-content'],
}

const [cwd, tidy] = [mkdtempSync(join(tmpdir(), 'latchkey-conform-')), [] as (() => unknown)[]]
// The hub is not there when the gate opens.
const quiet = { onKeyFailure() {}, onRevocationFailure() {} }
const storageCredential = `lk_${'c'.repeat(49)}`

/** They ask their hub more often than usual, so that no check waits long. */
const servers: Readonly<Record<string, Server>> = {
  'the gate as a library in Express': {
    ...filesByName,
    async open({ hubUrl, casUrl, port }) {
      const gate = createGate({ hubUrl, casUrl, pollSeconds: 1, ...quiet })
      tidy.push(() => gate.close())
      await listen(openStorage(gate), port)
    },
  },
  'the gateway in front of a server': {
    flags: { profile: ['verifier'] },
    skipped: [],
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
    flags: {},
    skipped: [],
    async open({ hubUrl, casUrl, port }) {
      const place = { hub: hubUrl, casUrl, port: String(port), data: join(cwd, 'storage') }
      const storage = await storageHere(
        { ...place, revocationsPollSeconds: '1' },
        { LATCHKEY_STORAGE_CREDENTIAL: storageCredential },
      )
      tidy.push(() => storage.stop())
    },
  },
}

const examples = resolve(import.meta.dirname, '../../../../examples')
const python = join(examples, '../clients/python/src')

/** They ask their hub every 5 s. */
const otherLanguages: Readonly<Record<string, Server>> = {
  ...(isInstalled(pythonVerifier) && {
    'the verifier for Python in FastAPI': {
      ...filesByName,
      async open({ hubUrl, casUrl, port }) {
        const words = [
          '-m',
          'uvicorn',
          '--factory',
          'storage:from_environment',
          '--port',
          `${port}`,
        ]
        const env = { PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: '1' }
        const folder = join(examples, 'fastapi-storage')
        program(pythonVerifier.python, words, folder, {
          ...{ ...env, HUB_URL: hubUrl, CAS_URL: casUrl },
        })
      },
    },
  }),
  ...(findGo() !== undefined &&
    hasModulesOfExample() && {
      'the verifier for Go in chi': {
        ...filesByName,
        async open({ hubUrl, casUrl, port }) {
          const [storage, env] = [join(cwd, 'chi-storage'), goEnvironment()]
          await runProgram(findGo() ?? '', ['build', '-o', storage, '.'], { cwd: goExample, env })
          program(storage, [], cwd, { HUB_URL: hubUrl, CAS_URL: casUrl, PORT: String(port) })
        },
      },
    }),
}

const all = { ...servers, ...(rounds(0, 1) === 1 && otherLanguages) }
const runs = new Map<string, Promise<Ended>>()

/** All at once: most of the time a run waits until a revocation list is stale. */
beforeAll(() => {
  for (const [name, server] of Object.entries(all)) runs.set(name, run(server))
})

afterAll(async () => {
  await Promise.all(tidy.map((step) => step()))
  rmSync(cwd, { recursive: true })
})

// conformance: Attacks by form of the gate / The tests send every request of the table
test.each(Object.entries(all))(
  '%s passes all checks of its profiles',
  async (name, { skipped }) => {
    const { code, stdout, stderr } = (await runs.get(name)) as Ended
    expect([code, stderr]).toEqual([0, expect.stringContaining('playing the hub')])
    const { results } = JSON.parse(stdout) as Report
    const checks = results.flatMap((clause) => clause.checks)
    const unusual = checks.filter(({ outcome }) => outcome !== 'passed')
    expect(unusual.map(({ id, outcome }) => [id, outcome])).toEqual(
      skipped.map((id) => [id, 'skipped']),
    )
    expect(checks.length).toBeGreaterThan(40)
  },
  180_000,
)

interface Report {
  readonly results: readonly {
    readonly checks: readonly { readonly id: string; readonly outcome: string }[]
  }[]
}

/** In this process, where all runs can wait side by side. */
async function run({ flags, open }: Server): Promise<Ended> {
  const [hubPort, port] = [String(await freePort()), await freePort()]
  const casUrl = `http://127.0.0.1:${port}/r/{repo}/{ref}`
  const [printed, told] = [[] as string[], [] as string[]]
  const output = {
    print: (text: string) => void printed.push(text),
    tell: (line: string) => void told.push(line),
  }
  const run = runConform({ ...flags, cas: casUrl, hubPort, format: 'json' }, output)
  await open({ hubUrl: `http://127.0.0.1:${hubPort}`, casUrl, port })
  return { code: await run, stdout: printed.join(''), stderr: told.join('') }
}

function program(
  file: string,
  words: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): void {
  const child = spawn(file, words, { cwd: folder, env, stdio: 'ignore' })
  tidy.push(() => end(child))
}

async function listen(listener: RequestListener, port = 0): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  tidy.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

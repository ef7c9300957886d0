/** Downloads that are broken off go on where they were, whatever broke them: bytes are counted on the way, not by the client. */

import type { ChildProcess } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { hasProc } from '@latchkey/testing/machine/child-processes'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { randomBytes } from '@latchkey/testing/xet/making'
import { type ByteRange, type Hash, parseHash } from '@latchkey/xet'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { partialName, readRecords } from '../src/partial/records.ts'
import { countingProxy } from './counting-proxy.ts'
import { commit } from './directory-file.ts'
import { latchkeyHere } from './run-here.ts'
import { collect, end, ended, ready, start } from './run-latchkey.ts'
import { hourAhead, movableClock } from './serve/hour-ahead.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})
/** A port at which nobody listens. */
const nowhere = 1
const target = 'models/acme/bert@main'
const megabyte = 1_000_000
const megabytes = rounds(64, 1000)
const breaks = rounds(3, 20)
/** Four requests of 8 MiB are under way at once; two more may have come and not be written. */
const inFlight = 6 * 8 * 1024 * 1024

/** A hub and its storage that can be restarted under a client, with a proxy that counts. */
type World = Awaited<ReturnType<typeof world>>

async function world(cwd: string) {
  const proxy = await countingProxy()
  const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
  const token: string = JSON.parse(stdout).hubTokens[0].token
  const [port, storagePort] = [await freePort(), await freePort()]
  proxy.forwardTo(storagePort)
  const casUrl = `http://127.0.0.1:${proxy.port}/r/{repo}/{ref}`
  const ports = ['--port', `${port}`, '--storage-port', `${storagePort}`]
  const words = ['serve', ...ports, '--cas-url', casUrl]
  const serving = () => start(words, { cwd, nodeFlags: movableClock })
  let child = serving()
  let hub = await ready(child)
  const env = { LATCHKEY_HUB: `http://127.0.0.1:${port}`, LATCHKEY_HUB_TOKEN: token }
  return {
    ...{ cwd, proxy, hubPort: port },
    run: (...words: string[]) => latchkeyHere(words, { cwd, env }),
    begin: (...words: string[]) => start(words, { cwd, env }),
    async stop() {
      await end(child)
      // The storage is a process of its own, and may outlive the hub for a moment.
      proxy.forwardTo(nowhere)
    },
    async restart() {
      child = serving()
      hub = await ready(child)
      proxy.forwardTo(storagePort)
    },
    hourAhead: () => hourAhead(hub),
    async close() {
      await end(child)
      await proxy.close()
    },
  }
}

// A part of it comes twice.
const once = randomBytes('resume', megabytes * megabyte)
const large = Buffer.concat([once, once.subarray(0, 5 * megabyte)])

let own: World
let largeFile: Awaited<ReturnType<typeof uploadedFile>>
const folder = sharedFolder()
beforeAll(async () => {
  own = await world(folder)
  largeFile = await uploadedFile(own, large)
})
afterAll(() => own.close())

/** Packed bytes that the partial file of the download says it has. */
function keptBytes(cwd: string, hash: Hash, bytes: number): number {
  const path = partialName(join(cwd, 'file.bin'), hash)
  if (!existsSync(path)) return 0
  const chunks = [...(readRecords(textFrom(path, bytes), hash)?.chunks.values() ?? [])].flat()
  return chunks.reduce((sum, { packedLength }) => sum + packedLength, 0)
}

/** What stands in a file from there on. */
function textFrom(path: string, position: number): string {
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - position))
  readSync(file, bytes, { position })
  closeSync(file)
  return bytes.toString('latin1')
}

/** Of all runs that the storage names. */
function packedBytes(json: string): number {
  const { fetch_info }: { fetch_info: Record<string, { url_range: ByteRange }[]> } =
    JSON.parse(json)
  const runs = Object.values(fetch_info).flat()
  return runs.reduce((sum, { url_range: { start, end } }) => sum + end + 1 - start, 0)
}

async function uploadedFile({ cwd, run }: World, content: Buffer) {
  writeFileSync(join(cwd, 'file.bin'), content)
  const { stdout } = await run('upload', target, 'file.bin', '--json')
  rmSync(join(cwd, 'file.bin'))
  const hash = parseHash(JSON.parse(stdout).files[0].hash)
  if (hash === undefined) throw new Error('nothing was uploaded')
  const plan = await run('fetch', target, `/v1/reconstructions/${hash}`)
  return {
    hash,
    packed: packedBytes(plan.stdout),
    words: ['download', target, hash, '-o', 'file.bin'],
  }
}

interface Way {
  breakOff(child: ChildProcess): unknown
  readonly code: number | null
  readonly line: RegExp
}

const never: Way = { breakOff() {}, code: 0, line: /^$/ }
const sentence = String.raw`\S+ MB of \S+ [MG]B are saved; run the same command to continue\n$`

function ways({ stop }: World): readonly Way[] {
  return [
    {
      breakOff: (child) => child.kill('SIGINT'),
      ...{ code: 130, line: new RegExp(`^latchkey: stopped: ${sentence}`) },
    },
    { breakOff: stop, code: 3, line: new RegExp(`^latchkey: [^\n]*; ${sentence}`) },
    { breakOff: (child) => child.kill('SIGKILL'), code: null, line: /^$/ },
  ]
}

// conformance: Guarantees / An interrupted download resumes, and every byte is verified
it('a download that is broken off again and again fetches no more than it must, and is whole in the end', async () => {
  const { cwd, proxy } = own
  const { hash, packed, words } = largeFile
  const begun = proxy.blobBytes()
  const kept = () => keptBytes(cwd, hash, large.length)
  // The first time so much that one request at least is over; in all less than there is.
  const first = inFlight + 5 * megabyte
  for (let count = 0; count < breaks; count += 1) {
    const before = kept()
    const share = count === 0 ? first : Math.floor((packed - first) / breaks)
    const held = proxy.holdAfter(share)
    const child = own.begin(...words, '--retry-timeout', '1')
    const [output, over] = [collect(child), ended(child)]
    await held
    if (count === 0) await expect.poll(kept).toBeGreaterThan(0)
    const { breakOff, code, line } = ways(own)[count % 3] ?? never
    await breakOff(child)
    proxy.goOn()
    expect(await over).toBe(code)
    await expect.poll(proxy.underWay).toBe(0)
    expect(output().stderr).toMatch(line)
    expect(kept()).toBeGreaterThanOrEqual(before)
    if (code === 3) await own.restart()
  }
  const [before, had] = [proxy.blobBytes(), kept()]
  // As if the URL were over.
  proxy.refuseOne()
  expect(await own.run(...words)).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(cwd, 'file.bin')).equals(large)).toBe(true)
  expect(proxy.blobBytes() - before).toBe(packed - had)
  expect(proxy.blobBytes() - begun).toBeLessThanOrEqual(packed + breaks * inFlight)
  expect(readdirSync(cwd).filter((name) => name.includes('file.bin'))).toEqual(['file.bin'])
})

// conformance: Client flow / 4. The client refreshes a token 30 s before exp with the same request
it.skipIf(!hasProc)(
  'a download that outlives its token and its URLs gets new ones, and fetches no byte twice',
  async () => {
    const { cwd, proxy } = own
    // Four requests do not fetch all of it, so that the next ones begin after the end of their URLs.
    const { packed, words } = largeFile
    rmSync(join(cwd, 'file.bin'), { force: true })
    const [before, earlier] = [proxy.blobBytes(), proxy.refused().length]
    const held = proxy.holdAfter(1)
    const child = own.begin(...words)
    const [output, over] = [collect(child), ended(child)]
    await held
    await own.hourAhead()
    proxy.goOn()
    expect({ code: await over, ...output() }).toEqual({ code: 0, stdout: '', stderr: '' })
    const refused = new Set(proxy.refused().slice(earlier))
    // A storage that has not heard from its hub since the clock moved answers 503 until it has.
    refused.delete('503 v1')
    expect(refused).toEqual(new Set(['403 blobs', '401 v1']))
    expect(proxy.blobBytes() - before).toBe(packed)
    expect(readFileSync(join(cwd, 'file.bin')).equals(large)).toBe(true)
  },
)

it('an upload and a download wait for a storage that answers 503, as long as --retry-timeout allows', async () => {
  const { proxy, cwd } = own
  const content = randomBytes('unavailable', megabyte)
  writeFileSync(join(cwd, 'patient.bin'), content)
  const whileUnavailable = (...words: string[]) => {
    proxy.makeUnavailable(4)
    return own.run(...words)
  }
  const sent = ['upload', target, 'patient.bin']
  const short = await whileUnavailable(...sent, '--retry-timeout', '3')
  expect(short).toMatchObject({ code: 3, stderr: expect.stringContaining('responded with 503') })
  const uploaded = await whileUnavailable(...sent)
  expect(uploaded.code).toBe(0)
  const words = ['download', target, uploaded.stdout.trim(), '-o', 'patient.copy']
  expect(await whileUnavailable(...words)).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'patient.copy')).equals(content)).toBe(true)
})

it('an upload and a download wait for a hub that answers 503, as long as --retry-timeout allows', async () => {
  const { cwd } = own
  const proxy = await countingProxy()
  onTestFinished(() => proxy.close())
  proxy.forwardTo(own.hubPort)
  writeFileSync(join(cwd, 'early.bin'), randomBytes('hub unavailable', megabyte))
  const whileUnavailable = (...words: string[]) => {
    proxy.makeUnavailable(2, 2)
    return own.run(...words, '--hub', `http://127.0.0.1:${proxy.port}`)
  }
  const sent = ['upload', target, 'early.bin']
  const short = await whileUnavailable(...sent, '--retry-timeout', '1')
  expect(short).toMatchObject({ code: 3, stderr: expect.stringContaining('answers 503') })
  const uploaded = await whileUnavailable(...sent)
  expect(uploaded.code).toBe(0)
  const words = ['download', target, uploaded.stdout.trim(), '-o', 'early.copy']
  expect(await whileUnavailable(...words)).toMatchObject({ code: 0 })
  const [content, copy] = ['early.bin', 'early.copy'].map((name) => readFileSync(join(cwd, name)))
  expect(copy).toEqual(content)
  // Each is a token request: one of the impatient upload, and two of each other command.
  expect(proxy.refused()).toEqual(Array(5).fill('503 bert'))
})

it('a second download to the same file says that there is a first, and disturbs nothing', async () => {
  const { cwd, proxy } = own
  const content = randomBytes('two at once', 3 * megabyte)
  const { words } = await uploadedFile(own, content)
  const held = proxy.holdAfter(1)
  const first = own.begin(...words)
  const over = ended(first)
  await held
  const second = await own.run(...words)
  expect(second).toMatchObject({ code: 3, stdout: '' })
  expect(second.stderr).toMatch(
    /^latchkey: "[^"]*file\.bin" is being downloaded by another process; wait for it, or name another file with -o\n$/,
  )
  proxy.goOn()
  expect(await over).toBe(0)
  expect(readFileSync(join(cwd, 'file.bin')).equals(content)).toBe(true)
})

it('a download that was killed before its last step, the name, fetches nothing again', async () => {
  const { cwd, proxy } = own
  const content = randomBytes('without a name', megabyte)
  const { hash, words } = await uploadedFile(own, content)
  const partial = partialName(join(cwd, 'file.bin'), hash)
  writeFileSync(partial, content)
  const before = proxy.blobBytes()
  expect(await own.run(...words)).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(proxy.blobBytes()).toBe(before)
  expect(readFileSync(join(cwd, 'file.bin')).equals(content)).toBe(true)
  expect(existsSync(partial)).toBe(false)
})

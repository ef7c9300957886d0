/** curl alone uploads and downloads a file that is larger than any piece, while curl and the command are killed. */

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, existsSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test, vi } from 'vitest'
import { objectsIn } from '../../src/index.ts'
import { draftsIn } from '../../src/objects/disk/places.ts'
import { leftBehind } from './left-behind.ts'
import { type Access, type StorageProcess, serveStorage } from './storage-process.ts'

const mebibyte = 1024 * 1024

const shared = sharedFolder()
let prepared: Prepared
beforeAll(async () => {
  prepared = await prepareData(shared)
})

interface File {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

function makeFile(name: string, bytes: number): File {
  const path = join(shared, name)
  const [hash, handle] = [createHash('sha256'), openSync(path, 'w')]
  for (let at = 0; at < bytes; ) {
    const part = randomBytes(Math.min(mebibyte, bytes - at))
    hash.update(part)
    at += writeSync(handle, part)
  }
  return { path, bytes, sha256: hash.digest('hex') }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

interface Curl {
  readonly child: ChildProcess
  /** What it printed. */
  readonly ended: Promise<string>
}

function curl({ accessToken }: Access, ...args: readonly string[]): Curl {
  const auth = `Authorization: Bearer ${accessToken}`
  const child = spawn('curl', ['-sS', '-H', auth, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  return { child, ended: once(child, 'close').then(() => printed) }
}

/** As the storage has it on its disk, without a request that would end the upload. */
function storedBytes(id: string): number {
  const database = new DatabaseSync(join(prepared.data, 'storage.db'), { readOnly: true })
  try {
    const row = database.prepare('SELECT bytes FROM file_uploads WHERE name = ?').get(id)
    return Number(row?.['bytes'] ?? 0)
  } finally {
    database.close()
  }
}

/** In drafts: what came of the piece that is on its way. */
function bytesOnTheWay(): number {
  const folder = draftsIn(objectsIn(prepared.data).folder)
  const sizeOf = (name: string) =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return readdirSync(folder).reduce((sum, name) => sum + sizeOf(name), 0)
}

const until = (isSo: () => boolean) => vi.waitFor(() => expect(isSo()).toBe(true), 120_000)

async function offsetAt(access: Access, url: string): Promise<number> {
  const head = await curl(access, '-I', url).ended
  return Number(/^upload-offset: (\d+)/im.exec(head)?.[1] ?? Number.NaN)
}

interface Plan {
  /** The storage is killed, and later curl, when so many bytes are stored. */
  readonly killAt: number
  readonly breakAt: number
  /** Bytes in a second, so that curl has not sent everything before it is killed. */
  readonly upload: string
  readonly download: string
}

/** The storage is killed once, then curl; then the rest goes up, and the file comes back in two parts. */
async function uploadAndDownload(file: File, plan: Plan): Promise<void> {
  const { killAt, breakAt, upload, download } = plan
  const begun = performance.now()
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(1)
  let storage: StorageProcess = await serveStorage(prepared, shared)
  let access: Access = await storage.openRef('main')
  const id = randomBytes(8).toString('hex')
  const url = () => `${access.casUrl}/v1/files?upload=${id}`
  const send = (from: number, ...more: readonly string[]) =>
    curl(access, '-T', file.path, ...(from > 0 ? ['-C', String(from)] : []), ...more, url())

  const first = send(0, '--limit-rate', upload)
  await until(() => storedBytes(id) >= killAt)
  await storage.end('SIGKILL')
  await first.ended
  const durable = storedBytes(id)
  storage = await serveStorage(prepared, shared)
  access = await storage.openRef('main')
  const afterKill = await offsetAt(access, url())
  expect(afterKill).toBe(durable)
  expect(afterKill).toBeLessThan(file.bytes)

  // The killed storage has left some.
  const left = bytesOnTheWay()
  const second = send(afterKill, '--limit-rate', upload)
  await until(() => storedBytes(id) >= breakAt)
  await until(() => bytesOnTheWay() > left + mebibyte)
  second.child.kill('SIGKILL')
  await second.ended
  const afterBreak = await offsetAt(access, url())
  expect(afterBreak).toBeGreaterThan(afterKill)

  const { hash, ...rest } = JSON.parse(await send(afterBreak).ended)
  expect(rest).toEqual({ sha256: file.sha256, size: file.bytes })
  expect(JSON.parse(await send(0).ended)).toEqual({ hash, ...rest })
  const uploaded = seconds()

  const copy = `${file.path}.copy`
  const get = (...more: readonly string[]) =>
    curl(access, '-f', '-o', copy, ...more, `${access.casUrl}/v1/files/${hash}`)
  const part = get('--limit-rate', download)
  await until(() => existsSync(copy) && statSync(copy).size > 0)
  part.child.kill('SIGKILL')
  await part.ended
  expect(statSync(copy).size).toBeLessThan(file.bytes)
  await get('-C', '-').ended
  expect(await sha256Of(copy)).toBe(file.sha256)
  process.stdout.write(
    `curl: ${JSON.stringify({ bytes: file.bytes, afterKill, afterBreak, uploaded, all: seconds() })}\n`,
  )
  await storage.end()
  expect((await leftBehind(prepared.data)).flaws).toEqual([])
}

test('20 MB survive a kill of the storage and of curl', async () => {
  const file = makeFile('small', 20_000_003)
  await uploadAndDownload(file, { killAt: 1, breakAt: 1, upload: '8M', download: '4M' })
}, 300_000)

test('1 GB goes up and comes back by curl alone, killed in between', {
  tags: 'soak',
  timeout: 1_800_000,
}, async () => {
  const file = makeFile('large', 1_000_000_007)
  await uploadAndDownload(file, {
    killAt: 300 * mebibyte,
    breakAt: 600 * mebibyte,
    upload: '200M',
    download: '200M',
  })
})

import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { createStorageClient, type StorageClient } from '@latchkey/client'
import { keystream } from '@latchkey/testing/keystream'
import { wordyBytes } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createFileClient, type FileClient, hashFile } from '../../src/files.ts'
import { type BreakableWorld, openBreakableWorld } from './file-world.ts'

const mebibyte = 1024 * 1024
/** Its end gets smaller; it is longer than two pieces. */
const content = Buffer.concat([
  keystream('download', 14 * mebibyte),
  wordyBytes('download', 3 * mebibyte),
])

/** One piece is enough where only the first or the last byte matters. */
const short = content.subarray(0, 300_000)

let world: BreakableWorld
let files: FileClient
let hash: string
let shortHash: string
beforeAll(async () => {
  world = await openBreakableWorld()
  files = createFileClient(world.options())
  hash = (await files.upload(new Uint8Array(content))).hash
  shortHash = (await files.upload(new Uint8Array(short))).hash
})
afterAll(async () => {
  files?.close()
  await world?.close()
})

describe('refused', () => {
  it('is what is no hash, before anything is asked', async () => {
    await expect(files.download('abc')).rejects.toMatchObject({ code: 'bad_option' })
  })

  it('is a hash that the storage does not know', async () => {
    await expect(files.download('12'.repeat(32))).rejects.toMatchObject({
      ...{ name: 'LatchkeyError', code: 'resource_not_found', status: 404 },
    })
  })

  it.each([-1, content.length + 1, 0.5, Number.NaN])('is a beginning at byte %d', async (from) => {
    await expect(files.download(hash, { from })).rejects.toThrow(RangeError)
  })

  // conformance: Client / A download verifies the file
  it('is another file than was asked for, in its end', async () => {
    const other = await files.upload(new Blob(['another file']))
    const client = createStorageClient(world.options())
    onTestFinished(() => client.close())
    const swapping: StorageClient = {
      ...client,
      fetch: (path, init) => client.fetch(path.replace(hash, other.hash), init),
    }
    const download = await createFileClient(swapping).download(hash)
    await expect(download.blob()).rejects.toMatchObject({ name: 'IntegrityError' })
  })
})

describe('a file comes whole', () => {
  it('as a stream', async () => {
    const download = await files.download(shortHash)
    expect(download.bytes).toBe(short.length)
    expect(short.equals(await buffer(download.stream()))).toBe(true)
  })

  it('as an async iterable', async () => {
    expect(short.equals(await buffer(await files.download(shortHash)))).toBe(true)
  })

  it('as a Blob', async () => {
    const blob = await (await files.download(shortHash)).blob()
    expect(short.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true)
    expect(await hashFile(blob)).toBe(shortHash)
  })

  it('of several pieces, with progress from nothing to all of it', async () => {
    const told: (readonly [number, number | undefined])[] = []
    const onProgress = (...progress: [number, number | undefined]) => void told.push(progress)
    const came = await buffer((await files.download(hash, { onProgress })).stream())
    expect(content.equals(came)).toBe(true)
    const steps = told.map(([bytes]) => bytes)
    expect(told.every(([, total]) => total === content.length)).toBe(true)
    expect([steps[0], steps.at(-1)]).toEqual([0, content.length])
    expect(steps).toEqual(steps.toSorted((one, other) => one - other))
    expect(new Set(steps).size).toBeGreaterThan(5)
  })
})

it.each([0, 1, 70_000, short.length - 1, short.length])(
  'a download goes on from byte %i',
  async (from) => {
    const rest = await files.download(shortHash, { from })
    expect(rest.bytes).toBe(short.length)
    expect(short.subarray(from).equals(await buffer(rest))).toBe(true)
  },
)

it.each([8 * mebibyte, 15 * mebibyte + 12_345, content.length])(
  'a download of several pieces goes on from byte %i',
  async (from) => {
    const rest = await files.download(hash, { from })
    expect(rest.bytes).toBe(content.length)
    expect(content.subarray(from).equals(await buffer(rest))).toBe(true)
  },
)

describe('a download that is broken off', () => {
  it('goes on by itself when the line is mended, also in the middle of an answer', async () => {
    let isBroken = false
    let mended = 0
    // The client asks for it before it waits to try again: the line stays broken until a question of its own has failed.
    const random = () => {
      if (isBroken) {
        mended += 1
        isBroken = false
        world.line.mend()
      }
      return Math.random()
    }
    const patient = createFileClient({ ...world.options(), random })
    onTestFinished(() => patient.close())
    const download = await patient.download(hash)
    const broken = world.line.breakAfterReceiving(3 * mebibyte).then(() => {
      isBroken = true
    })
    const [blob] = await Promise.all([download.blob(), broken])
    expect(content.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true)
    expect(mended).toBe(1)
  })

  it('for good fails, and what came before it is right', async () => {
    const impatient = createFileClient({ ...world.options(), retryTimeoutSeconds: 0 })
    onTestFinished(() => impatient.close())
    onTestFinished(() => world.line.mend())
    const parts: Uint8Array[] = []
    const reading = async () => {
      const download = await impatient.download(hash)
      void world.line.breakAfterReceiving(10 * mebibyte)
      for await (const part of download) parts.push(part)
    }
    await expect(reading()).rejects.toMatchObject({ code: 'storage_unreachable' })
    const came = Buffer.concat(parts)
    expect(came.length).toBeGreaterThan(0)
    world.line.mend()
    const rest = await buffer(await files.download(hash, { from: came.length }))
    expect(content.equals(Buffer.concat([came, rest]))).toBe(true)
  })

  it('by its signal fails with the reason', async () => {
    const leaving = new AbortController()
    const reading = async () => {
      const download = await files.download(hash, { signal: leaving.signal })
      for await (const _ of download) leaving.abort(new Error('the tab was closed'))
    }
    await expect(reading()).rejects.toThrow('the tab was closed')
  })

  it('by a reader that leaves asks for nothing more', async () => {
    const download = await files.download(hash)
    for await (const _ of download) break
    const stream = (await files.download(hash)).stream()
    await stream.cancel()
    await setTimeout(300)
    const sent = world.line.sentBytes()
    await setTimeout(500)
    expect(world.line.sentBytes()).toBe(sent)
  })

  it('by a reader that leaves while it waits ends the request that it waits for', async () => {
    const client = createStorageClient(world.options())
    onTestFinished(() => client.close())
    const asked: AbortSignal[] = []
    const silent: StorageClient = {
      ...client,
      fetch(path, init) {
        if (new Headers(init?.headers).get('range') === null) return client.fetch(path, init)
        const signal = init?.signal ?? AbortSignal.abort()
        asked.push(signal)
        return new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))
      },
    }
    const reader = (await createFileClient(silent).download(hash)).stream().getReader()
    const reading = reader.read()
    await expect.poll(() => asked.length).toBe(1)
    await reader.cancel()
    expect(asked.map(({ aborted }) => aborted)).toEqual([true])
    expect(await reading).toEqual({ done: true, value: undefined })
  })
})

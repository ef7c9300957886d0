import { setTimeout } from 'node:timers/promises'
import { createStorageClient } from '@latchkey/client'
import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createFileClient, type FileClient, type FileSource, hashFile } from '../../src/files.ts'
import { downloadFile, startUpload } from '../../src/index.ts'
import { type BreakableWorld, openBreakableWorld } from './file-world.ts'

const mebibyte = 1024 * 1024
/** What stands around chunks and requests takes less than this; noise does not get smaller. */
const packed = (bytes: number) => bytes * 1.01 + 100_000

let world: BreakableWorld
let files: FileClient
beforeAll(async () => {
  world = await openBreakableWorld()
  files = createFileClient(world.options())
})
afterAll(async () => {
  files?.close()
  await world?.close()
})

/** Sends what it was not sent before by any other test. */
const content = (seed: string, bytes: number) => new Uint8Array(keystream(seed, bytes))

async function bytesOf(hash: string): Promise<Uint8Array> {
  return new Uint8Array(await (await (await files.download(hash)).blob()).arrayBuffer())
}

async function* inParts(bytes: Uint8Array, length = 100_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const parts = inParts(bytes)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

describe('refused', () => {
  // biome-ignore format: a table is read by its columns
  it.each([
    ['a path',            'weights.bin',      'source must be a Blob, a ReadableStream, an async iterable of Uint8Array, or bytes, and is a string. For the file at a path write await openAsBlob(path), of the fs module;'],
    ['nothing',           undefined,          'source must be a Blob, a ReadableStream, an async iterable of Uint8Array, or bytes, and is undefined.'],
    ['a URL',             new URL('file:///weights.bin'), 'source must be a Blob, a ReadableStream, an async iterable of Uint8Array, or bytes, and is a URL.'],
    ['a list of numbers', [1, 2],             'source must be a Blob, a ReadableStream, an async iterable of Uint8Array, or bytes, and is an array.'],
    ['a promise',         Promise.resolve(),  'source must be a Blob, a ReadableStream, an async iterable of Uint8Array, or bytes, and is a Promise.'],
  ])('%s in place of the bytes of a file', async (_, source, sentence) => {
    for (const call of [files.upload(source as never), hashFile(source as never)]) {
      const error: Error = await call.then(() => expect.unreachable(), (reason) => reason)
      expect(error).toMatchObject({ code: 'bad_option' })
      expect(error.message.slice(0, sentence.length)).toBe(sentence)
    }
  })

  it('an option that a call does not take', async () => {
    const blob = new Blob(['x'])
    const options = { onprogress() {} } as object
    const sentence = 'onprogress is no option of upload. Did you mean onProgress?'
    await expect(files.upload(blob, options)).rejects.toThrow(sentence)
    await expect(files.upload(blob, 7 as never)).rejects.toThrow(
      'upload takes its options as an object',
    )
    await expect(files.download('ab'.repeat(32), { start: 7 } as object)).rejects.toThrow(
      'start is no option of download. Its options are onProgress, signal, from.',
    )
    await expect(files.download(7 as never)).rejects.toThrow('and is a number.')
    await expect(hashFile(blob, options)).rejects.toThrow('onprogress is no option of hashFile.')
    const branch = { ...world.options(), branch: 'release/1.0' }
    expect(() => createFileClient(branch)).toThrow('Did you mean revision?')
    expect(() => createFileClient('https://hub.example' as never)).toThrow(
      'takes its options as an object',
    )
    expect(() => startUpload({} as never, { onAcknowledge() {} } as object)).toThrow(
      'onAcknowledge is no option of startUpload. Did you mean onAcknowledged?',
    )
    await expect(downloadFile({} as never, '' as never, { offset: 1 } as object)).rejects.toThrow(
      'offset is no option of downloadFile.',
    )
  })

  it('is whoever may not write, with the code and the sentence of the hub', async () => {
    const reader = createFileClient(world.options('reader/write'))
    onTestFinished(() => reader.close())
    await expect(reader.upload(new Blob(['x']))).rejects.toMatchObject({
      ...{ name: 'LatchkeyError', code: 'permission_denied', status: 403 },
    })
  })

  it('are parts that are no bytes', async () => {
    const source = streamOf(content('text', 10)) as unknown as AsyncIterable<never>
    const text = async function* () {
      yield 'text' as never
    }
    const texts = new ReadableStream({
      start(controller) {
        controller.enqueue('text')
        controller.close()
      },
    })
    for (const call of [files.upload(text()), files.upload(texts), hashFile(text())]) {
      await expect(call).rejects.toMatchObject({
        ...{ name: 'LatchkeyError', code: 'bad_option' },
        message: 'source must have parts of Uint8Array, and one of them is a string.',
      })
    }
    expect((await files.upload(source)).bytes).toBe(10)
  })
})

describe('a file is uploaded and comes back the same', () => {
  const bytes = content('sources', 250_000)
  const sources: readonly (readonly [string, () => FileSource])[] = [
    ['a Blob', () => new Blob([bytes])],
    ['a File', () => new File([bytes], 'weights.bin')],
    ['a stream', () => streamOf(bytes)],
    ['an async iterable', () => inParts(bytes)],
    ['bytes', () => bytes],
    ['an ArrayBuffer', () => bytes.buffer],
  ]
  it.each(sources)('from %s', async (_, source) => {
    const uploaded = await files.upload(source())
    expect(uploaded).toMatchObject({ hash: await hashFile(bytes), bytes: bytes.length })
    expect(Buffer.compare(await bytesOf(uploaded.hash), bytes)).toBe(0)
  })

  it('from nothing', async () => {
    const { hash, bytes } = await files.upload(new Blob([]))
    expect([hash, bytes]).toEqual(['0'.repeat(64), 0])
    expect(await bytesOf(hash)).toHaveLength(0)
  })

  it('with a client that others use as well, and that stays open', async () => {
    const client = createStorageClient(world.options())
    const own = createFileClient(client)
    const { hash } = await own.upload(new Blob(['of one client']))
    own.close()
    await expect(own.download(hash)).rejects.toMatchObject({ code: 'closed' })
    expect((await client.fetch(`/v1/reconstructions/${hash}`)).status).toBe(200)
    client.close()
  })
})

it('progress begins at nothing, never goes back, and ends with all of it', async () => {
  const told: (readonly [number, number | undefined])[] = []
  const bytes = content('progress', 10 * mebibyte)
  const onProgress = (...progress: [number, number | undefined]) => void told.push(progress)
  await files.upload(new Blob([bytes]), { onProgress })
  const steps = told.map(([done]) => done)
  expect(told.every(([, total]) => total === bytes.length)).toBe(true)
  expect([steps[0], steps.at(-1)]).toEqual([0, bytes.length])
  expect(steps).toEqual(steps.toSorted((one, other) => one - other))
  expect(new Set(steps).size).toBeGreaterThan(3)
})

it('a file that is there is not sent again, and of a changed one the difference', async () => {
  const bytes = content('changed', 3 * mebibyte)
  const first = await files.upload(bytes)
  expect(first).toMatchObject({ deduplicatedBytes: 0 })
  expect(await files.upload(bytes)).toEqual({
    ...{ hash: first.hash, bytes: bytes.length },
    ...{ uploadedBytes: 0, deduplicatedBytes: bytes.length },
  })
  bytes[mebibyte] = (bytes[mebibyte] ?? 0) ^ 1
  const changed = await files.upload(bytes)
  expect(changed.hash).not.toBe(first.hash)
  expect(changed.uploadedBytes).toBeLessThan(mebibyte)
})

describe('an upload that is broken off', () => {
  it('goes on by itself when the line is mended', async () => {
    const bytes = content('mended', 7 * mebibyte)
    const broken = world.line.breakAfterSending(3 * mebibyte)
    const [{ hash }] = await Promise.all([
      files.upload(new Blob([bytes])),
      broken.then(world.line.turnedAway).then(world.line.mend),
    ])
    expect(Buffer.compare(await bytesOf(hash), bytes)).toBe(0)
  })

  it('sends only what is missing when it is called again', async () => {
    const bytes = content('again', 16 * mebibyte)
    const impatient = createFileClient({ ...world.options(), retryTimeoutSeconds: 0 })
    onTestFinished(() => impatient.close())
    const before = world.line.sentBytes()
    const broken = world.line.breakAfterSending(13 * mebibyte)
    const [failure] = await Promise.all([
      impatient.upload(bytes).catch((error: unknown) => error),
      broken,
    ])
    expect(failure).toMatchObject({ code: 'storage_unreachable' })
    world.line.mend()
    const lost = world.line.sentBytes() - before
    const { hash, uploadedBytes, deduplicatedBytes } = await files.upload(bytes)
    // A xorb of 4 MiB ends before the chunk that does not fit.
    expect(deduplicatedBytes).toBeGreaterThan(4_000_000)
    // Three xorbs of 4 MiB may be on their way at once.
    expect(uploadedBytes).toBeLessThan(packed(bytes.length - lost) + 3 * 4 * mebibyte)
    expect(Buffer.compare(await bytesOf(hash), bytes)).toBe(0)
  })

  it('by its signal fails with the reason, lets go of its source, and sends no more', async () => {
    const bytes = content('aborted', 6 * mebibyte)
    const leaving = new AbortController()
    let isLeft = false
    const source = (async function* () {
      try {
        yield* inParts(bytes)
      } finally {
        isLeft = true
      }
    })()
    const broken = world.line.breakAfterSending(3 * mebibyte)
    const uploading = files.upload(source, { signal: leaving.signal })
    await broken
    leaving.abort(new Error('the tab was closed'))
    await expect(uploading).rejects.toThrow('the tab was closed')
    world.line.mend()
    await expect.poll(() => isLeft).toBe(true)
    const sent = world.line.sentBytes()
    await setTimeout(500)
    expect(world.line.sentBytes()).toBe(sent)
  })

  it('by its signal ends although its source stands still', async () => {
    let reason: unknown
    const source = new ReadableStream<Uint8Array>({
      cancel: (given) => {
        reason = given
      },
    })
    const signal = AbortSignal.timeout(100)
    await expect(files.upload(source, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(reason).toMatchObject({ name: 'TimeoutError' })
  })

  it('by a source that breaks fails with its reason', async () => {
    const source = (async function* () {
      yield content('breaking', mebibyte)
      throw new Error('the disk is gone')
    })()
    await expect(files.upload(source)).rejects.toThrow('the disk is gone')
  })
})

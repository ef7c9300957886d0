import { createHash } from 'node:crypto'
import { randomBytes } from '@latchkey/testing/xet/making'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkEnds } from '../../src/cutting/cut-slots.ts'
import { isFormatError } from '../../src/format/format-error.ts'
import type { Hash } from '../../src/format/hash.ts'
import { readShard } from '../../src/format/read-shard.ts'
import { startUpload } from '../../src/upload/upload-files.ts'
import { memoryStorage } from '../memory-storage.ts'
import { downloadWhole, uploadAll, uploadOne } from '../moving.ts'

const megabyte = 1_000_000

describe('an upload that fails', () => {
  it('because a xorb is not taken registers no file, and says why', async () => {
    const storage = memoryStorage()
    storage.sendXorb = async () => {
      throw new Error('no room')
    }
    await expect(uploadOne(storage, randomBytes(1, megabyte))).rejects.toThrow('no room')
    expect(storage.calls).not.toContain('sendShard')
  })

  it('because a file cannot be read to its end registers none of them', async () => {
    const storage = memoryStorage()
    const upload = startUpload(storage)
    await upload.add(pieces(randomBytes(2, megabyte)))
    await expect(upload.add(breaking())).rejects.toThrow('the disk is gone')
    expect([storage.files.size, storage.calls.includes('sendShard')]).toEqual([0, false])
  })

  it('because the storage answers a question with something that is no shard says so', async () => {
    const storage = memoryStorage()
    storage.findChunk = async () => Buffer.from('no shard')
    await expect(uploadOne(storage, Buffer.from('hello'))).rejects.toThrow(
      'the storage sent a shard that cannot be read',
    )
  })
})

it('whatever is uploaded comes back the same', async () => {
  const length = fc.oneof(
    fc.integer({ min: 0, max: 300_000 }),
    fc.constantFrom(8191, 8192, 131_072),
  )
  const content = fc.tuple(length, fc.nat(50)).map(([bytes, seed]) => randomBytes(seed, bytes))
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 4 }), async (contents) => {
      const storage = memoryStorage()
      const uploaded = await uploadAll(storage, ...contents)
      for (const [index, { hash, bytes }] of uploaded.entries()) {
        expect(bytes).toBe(contents[index]?.length)
        expect(contents[index]?.equals(await downloadWhole(storage, hash))).toBe(true)
      }
    }),
    { numRuns: process.env['LATCHKEY_SOAK'] ? 500 : 12 },
  )
})

it('a file that comes twice is registered once', async () => {
  const storage = memoryStorage()
  const { sendShard } = storage
  const registered: Hash[] = []
  storage.sendShard = async (shard) => {
    for await (const part of readShard(pieces(shard))) {
      if (!isFormatError(part) && part.kind === 'file') registered.push(part.hash)
    }
    await sendShard(shard)
  }
  const content = randomBytes(3, megabyte)
  const [first] = await uploadAll(storage, content, content)
  expect(registered).toEqual([first?.hash])
})

it('a file whose chunks are scattered is sent in longer runs rather than torn to pieces', async () => {
  const storage = memoryStorage()
  const chunks = shortChunks(10)
  await uploadOne(storage, Buffer.concat(chunks))
  // The first chunk is the one that is asked for, and leads to the others.
  const reversed = Array.from({ length: 30 }, () => chunks.toReversed()).flat()
  const backwards = Buffer.concat([...chunks.slice(0, 1), ...reversed])
  const { hash, uploadedBytes, deduplicatedBytes } = await uploadOne(storage, backwards)
  const terms = storage.files.get(hash)?.terms ?? []
  expect(terms.length).toBeLessThan(140)
  expect(Math.min(uploadedBytes, deduplicatedBytes)).toBeGreaterThan(0)
  expect(backwards.equals(await downloadWhole(storage, hash))).toBe(true)
})

it('an empty file is a file without chunks, and its hash is all zeros', async () => {
  const storage = memoryStorage()
  const { hash, ...counted } = await uploadOne(storage, Buffer.alloc(0))
  expect(hash).toBe('0'.repeat(64))
  expect(counted).toEqual({ bytes: 0, uploadedBytes: 0, deduplicatedBytes: 0 })
  expect(storage.calls).toEqual(['hasFile', 'sendShard'])
  expect(await downloadWhole(storage, hash)).toEqual(Buffer.alloc(0))
})

it('the shard tells the SHA-256 of each file', async () => {
  const storage = memoryStorage()
  const content = randomBytes(3, 100_000)
  const { hash } = await uploadOne(storage, content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  expect(storage.files.get(hash)?.sha256).toBe(sha256)
})

it('small files share a xorb and a shard', async () => {
  const storage = memoryStorage()
  const contents = Array.from({ length: 20 }, (_, index) => Buffer.from(`file ${index}`))
  const uploaded = await uploadAll(storage, ...contents)
  expect([storage.xorbs.size, new Set(uploaded.map(({ hash }) => hash)).size]).toEqual([1, 20])
  expect(storage.calls.filter((call) => call === 'sendShard')).toHaveLength(1)
})

it('a file that is there already is not sent again', async () => {
  const storage = memoryStorage()
  const content = randomBytes(4, megabyte)
  const first = await uploadOne(storage, content)
  expect(first).toMatchObject({ bytes: megabyte, deduplicatedBytes: 0 })
  expect(first.uploadedBytes).toBeGreaterThan(megabyte)
  expect(await uploadOne(storage, content)).toEqual({
    ...{ hash: first.hash, bytes: megabyte },
    ...{ uploadedBytes: 0, deduplicatedBytes: megabyte },
  })
  expect(storage.xorbs.size).toBe(1)
})

it('of a file that has changed only the changed part is sent', async () => {
  const storage = memoryStorage()
  const content = randomBytes(6, 3 * megabyte)
  await uploadOne(storage, content)
  const changed = Buffer.concat([
    content.subarray(0, 1_500_000),
    Buffer.from('!'),
    content.subarray(1_500_000),
  ])
  const second = await uploadOne(storage, changed)
  expect(second.uploadedBytes).toBeLessThan(600_000)
  expect(changed.equals(await downloadWhole(storage, second.hash))).toBe(true)
})

it('what a file repeats is sent once', async () => {
  const storage = memoryStorage()
  const once = randomBytes(8, megabyte)
  const { hash, uploadedBytes } = await uploadOne(storage, Buffer.concat([once, once, once]))
  expect(uploadedBytes).toBeLessThan(1.6 * megabyte)
  expect(storage.files.get(hash)?.terms.length).toBeLessThan(6)
})

/** Cut where the content says so, in whatever order they stand: a chunk knows nothing of those before it. */
function shortChunks(count: number): Uint8Array[] {
  const data = randomBytes('short', 5 * megabyte)
  const ends = [...chunkEnds(data)]
  const chunks = ends.map((end, index) => data.subarray(ends[index - 1] ?? 0, end))
  // The last one ends where the data does.
  return chunks
    .slice(0, -1)
    .toSorted((one, other) => one.length - other.length)
    .slice(0, count)
}

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield randomBytes(3, megabyte)
  throw new Error('the disk is gone')
}

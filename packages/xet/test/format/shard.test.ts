/** Shards: read as they arrive, refused where they are malformed, written as clients expect them. */

import { createHash } from 'node:crypto'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { describe, expect, test } from 'vitest'
import { readUint32, readUint64 } from '../../src/format/bytes.ts'
import { isFormatError } from '../../src/format/format-error.ts'
import { type Hash, hashAt } from '../../src/format/hash.ts'
import { readShard, type ShardLimits, type ShardPart } from '../../src/format/read-shard.ts'
import { emptyShardLength, fileLength, xorbLength } from '../../src/format/shard-rows.ts'
import { writeDedupShard, writeShard } from '../../src/format/write-shard.ts'

const limits: ShardLimits = { bytes: 100_000, terms: 50 }
const xorbs = [makeXorb(randomChunks('one', 5)), makeXorb(randomChunks('two', 3))] as const
const [one, two] = xorbs
const sha256 = createHash('sha256').update('content').digest()
const files = [
  makeFile([{ xorb: one }, { xorb: two, start: 1, end: 2 }], sha256),
  makeFile([{ xorb: two }]),
]
const shard = makeShard({ files, xorbs })

async function* inParts(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

function partsOf(bytes: Uint8Array, length = 1000): Promise<ShardPart[]> {
  return gather(readShard(inParts(bytes, length), limits))
}

async function gather<Part>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const gathered: Part[] = []
  for await (const part of parts) gathered.push(part)
  return gathered
}

async function flawOf(bytes: Buffer): Promise<string> {
  const last = (await partsOf(bytes)).at(-1)
  return isFormatError(last) ? last.flaw : 'no flaw'
}

/** With a number of 32 bits written over. */
function having(offset: number, value: number): Buffer {
  const copy = Buffer.from(shard)
  copy.writeUInt32LE(value, offset)
  return copy
}

describe('refused', () => {
  const header = 48
  const xorbHeader = 48 * 11
  // biome-ignore format: a table is read by its columns
  test.each<[string, Buffer, string]>([
    ['nothing',                     Buffer.alloc(0),                 'The shard is cut off at byte 0.'],
    ['something else',              having(0, 1),                    'The bytes do not begin as a shard.'],
    ['another version',             having(32, 3),                   'The shard has version 3, not 2.'],
    ['a footer of another length',  having(40, 100),                 'The shard announces a footer of 100 bytes, not of 0 or 200.'],
    ['an absurd footer',            having(44, 1),                   'The shard announces a footer of 4294967296 bytes, not of 0 or 200.'],
    ['more terms than are held',    having(header + 36, 51),         'The shard has a format error at byte 48: the file has 51 terms, more than 50.'],
    ['an absurd number of terms',   having(header + 36, 0xffffffff), 'The shard has a format error at byte 48: the file has 4294967295 terms, more than 50.'],
    ['a run that ends first',       having(header + 88, 9),          'The shard has a format error at byte 96: chunks 9 to 5 are no run.'],
    ['a run of nothing',            having(header + 88, 5),          'The shard has a format error at byte 96: chunks 5 to 5 are no run.'],
    ['a run beyond any xorb',       having(header + 92, 8193),       'The shard has a format error at byte 96: chunks 0 to 8193 are no run.'],
    ['a xorb without chunks',       having(xorbHeader + 36, 0), 'The shard has a format error at byte 528: the xorb has 0 chunks, not 1 to 8192.'],
    ['an absurd number of chunks',  having(xorbHeader + 36, 8193), 'The shard has a format error at byte 528: the xorb has 8193 chunks, not 1 to 8192.'],
    ['bytes behind the end',        Buffer.concat([shard, Buffer.alloc(1)]), `The shard has 1 more bytes behind its end at byte ${shard.length}.`],
    ['a footer that is not there',  having(40, 200),                 `The shard is cut off at byte ${shard.length}.`],
  ])('%s', async (_, bytes, expected) => {
    expect(await flawOf(bytes)).toBe(expected)
  })

  test('what is cut off, wherever that is', async () => {
    for (const whole of [shard, makeShard({ files, xorbs, hasFooter: true })]) {
      for (let length = 0; length < whole.length; length += 1) {
        expect(await flawOf(whole.subarray(0, length)), `${length}`).toMatch(
          /^The shard is cut off/,
        )
      }
    }
  })

  test('what is longer than a shard may be, in every part of it', async () => {
    const whole = makeShard({ files, xorbs, hasFooter: true })
    for (let bytes = 48; bytes < whole.length; bytes += 1) {
      const parts = await gather(readShard(inParts(whole, 1000), { ...limits, bytes }))
      expect(parts.at(-1)).toEqual({
        flaw: `The shard is longer than the ${bytes} bytes that one may have.`,
      })
    }
  })

  test('what is too long is not read farther than it may be long', async () => {
    const parts = await gather(readShard(inParts(shard, 1000), { ...limits, bytes: 48 * 6 }))
    expect(parts).toHaveLength(1)
  })

  test('what announces much and sends little costs little', async () => {
    const claims = having(48 + 36, 131_072)
    const before = process.memoryUsage().arrayBuffers
    for (let count = 0; count < 100; count += 1) {
      expect((await gather(readShard(inParts(claims, 48)))).some(isFormatError)).toBe(true)
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024)
  })

  test('nothing follows a flaw, and the source is let go', async () => {
    let isLetGo = false
    async function* source() {
      try {
        yield having(48 + 88, 9)
        yield Buffer.alloc(1000)
      } finally {
        isLetGo = true
      }
    }
    const parts = await gather(readShard(source(), limits))
    expect(parts).toHaveLength(1)
    expect(isLetGo).toBe(true)
  })
})

describe('read', () => {
  test.each([1, 47, 48, 49, 100_000])(
    'all that was written, in parts of %i bytes',
    async (length) => {
      const parts = await partsOf(shard, length)
      const [first, second, third, fourth] = parts
      expect(parts).toHaveLength(4)
      expect(first).toMatchObject({ kind: 'file', sha256: sha256.toString('hex') })
      expect(second).toMatchObject({ kind: 'file', sha256: undefined })
      for (const [index, part] of [first, second].entries()) {
        const { hash, terms = [] } = files[index] ?? {}
        if (part === undefined || isFormatError(part) || part.kind !== 'file')
          throw new Error('no file')
        expect(part.hash).toBe(hash)
        const read = Array.from(part.terms, (term, at) => ({
          ...term,
          range: part.ranges?.hash(at),
        }))
        expect(read).toEqual(terms.map((term) => ({ ...term, range: hashAt(term.range) })))
      }
      for (const [index, part] of [third, fourth].entries()) {
        const { hash, table, bytes } = xorbs[index] ?? one
        if (part === undefined || isFormatError(part) || part.kind !== 'xorb')
          throw new Error('no xorb')
        expect(part.hash).toBe(hash)
        expect(part.packedBytes).toBe(bytes.length)
        expect(part.unpackedBytes).toBe(table.unpackedBytes)
        expect(part.chunks.count).toBe(table.count)
        for (let at = 0; at < table.count; at += 1) {
          expect(part.chunks.hash(at)).toBe(table.hash(at))
          expect(part.chunks.unpackedLength(at)).toBe(table.unpackedLength(at))
          expect(part.chunks.isMarked(at)).toBe(false)
        }
      }
    },
  )

  test('a footer and whatever stands before it are skipped', async () => {
    const footed = makeShard({ files, xorbs, hasFooter: true })
    const withTables = Buffer.concat([footed, randomChunks('tables', 3)[0] ?? Buffer.alloc(0)])
    expect(await partsOf(footed)).toEqual(await partsOf(shard))
    expect(await partsOf(withTables)).toEqual(await partsOf(shard))
  })

  test('a shard of nothing, and a file of nothing', async () => {
    expect(await partsOf(writeShard([], []))).toEqual([])
    const nothing = { hash: '0'.repeat(64) as Hash, terms: [] }
    expect(await partsOf(writeShard([nothing], []))).toMatchObject([{ kind: 'file' }])
  })

  test('a file whose runs have no hashes is told apart from one whose runs have', async () => {
    const bare = Buffer.concat([
      shard.subarray(0, 48 * 4),
      shard.subarray(48 * 6, 48 * 7),
      shard.subarray(-96),
    ])
    bare.writeUInt32LE(0x40000000, 48 + 32)
    bare.fill(0xff, bare.length - 96, bare.length - 64)
    const [file] = await partsOf(bare)
    expect(file).toMatchObject({ kind: 'file', ranges: undefined })
  })

  test('a chunk that clients marked for questions is told', async () => {
    const marked = Buffer.from(shard)
    const firstChunk = 48 * 12
    marked.writeUInt32LE(0x80000000, firstChunk + 40)
    const xorb = (await partsOf(marked)).find(
      (part) => !isFormatError(part) && part.kind === 'xorb',
    )
    if (xorb === undefined || isFormatError(xorb) || xorb.kind !== 'xorb')
      throw new Error('no xorb')
    expect([xorb.chunks.isMarked(0), xorb.chunks.isMarked(1)]).toEqual([true, false])
  })
})

test('a shard is as long as was worked out before it was written', () => {
  const file = makeFile([{ xorb: one }, { xorb: two }], sha256)
  expect(writeShard([], [])).toHaveLength(emptyShardLength)
  expect(writeShard([file], [])).toHaveLength(emptyShardLength + fileLength(2))
  expect(writeShard([], [one])).toHaveLength(emptyShardLength + xorbLength(5))
})

describe('the answer to a question for a chunk', () => {
  const answer = writeDedupShard([...xorbs], { createdAt: 1_800_000_000, expiresAt: 1_800_600_000 })
  const footer = answer.subarray(-200)
  const number = (offset: number) => Number(readUint64(footer, offset))

  test('is a shard without files that has the xorbs with all their chunks', async () => {
    const parts = await partsOf(answer)
    const hashes = parts.map((part) => !isFormatError(part) && part.kind === 'xorb' && part.hash)
    expect(hashes).toEqual([one.hash, two.hash])
  })

  test('has a footer that says where everything is, for how long, and that no key is needed', () => {
    expect(number(0)).toBe(1)
    expect(number(8)).toBe(48)
    expect(number(16)).toBe(96)
    expect(hashAt(answer, 96)).toBe(one.hash)
    expect(footer.subarray(72, 104)).toEqual(new Uint8Array(32))
    expect(number(104)).toBe(1_800_000_000)
    expect(number(112)).toBe(1_800_600_000)
    expect(number(192)).toBe(answer.length - 200)
  })

  test('has no tables, and says that they would begin where the xorbs end', () => {
    for (const [offset, count] of [
      [24, 32],
      [40, 48],
      [56, 64],
    ] as const) {
      expect(number(offset)).toBe(answer.length - 200)
      expect(number(count)).toBe(0)
    }
  })

  test('says where each chunk begins in the unpacked xorb', () => {
    const starts = [0, 1, 2, 3, 4].map((index) => readUint32(answer, 48 * (3 + index) + 32))
    expect(starts).toEqual([0, 1000, 2000, 3000, 4000])
  })
})

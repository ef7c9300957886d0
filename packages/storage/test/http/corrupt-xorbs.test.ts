/** Bytes that are not what they are called are refused, and nothing of them stays. */

import {
  cutInto,
  makeXorb,
  randomBytes,
  randomChunks,
  wordyBytes,
  xorbFooter,
} from '@latchkey/testing/xet/making'
import { maxXorbChunks } from '@latchkey/xet/format'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'

let stage: Stage
let writer: Caller
beforeAll(async () => {
  stage = await openStage()
  writer = await stage.caller(`write ${await stage.newRepository()}@main`)
})
afterAll(() => stage.close())

const chunks = cutInto(wordyBytes('corrupt', 8000), 2000)
const plain = makeXorb(chunks, { scheme: 'none' })
const packed = makeXorb(chunks, { scheme: 'lz4' })
const grouped = makeXorb(chunks, { scheme: 'groupedLz4' })
const other = makeXorb(randomChunks('other', 2))

async function expectRefused(bytes: Buffer, hash = plain.hash): Promise<void> {
  const told = await writer.upload({ hash, bytes })
  expect([told.status, told.code]).toEqual([400, 'content_invalid'])
  expect([await stage.rows(), stage.objects(), stage.drafts()]).toEqual([[0, 0, 0], [], []])
}

/** The header of the first chunk, said otherwise. */
function withHeader(bytes: Buffer, change: (header: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes)
  change(copy.subarray(0, 8))
  return copy
}

/** A few bytes that a frame would unpack to as many as it likes. */
function bomb(said: number): Buffer {
  const whole = makeXorb([Buffer.alloc(128 * 1024)], { scheme: 'lz4' }).bytes
  return withHeader(whole, (header) => header.writeUIntLE(said, 5, 3))
}

const shapes: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['cut off in a header', plain.bytes.subarray(0, 5)],
  ['cut off in a chunk', plain.bytes.subarray(0, -1)],
  ['cut off before its last chunk', plain.bytes.subarray(0, plain.table.packedStart(3))],
  ['another xorb', other.bytes],
  ['its chunks in another order', makeXorb(chunks.toReversed()).bytes],
  ['a chunk more', makeXorb([...chunks, Buffer.from('more')]).bytes],
  ['another version', withHeader(plain.bytes, (header) => header.writeUInt8(1, 0))],
  ['a packing that is not known', withHeader(plain.bytes, (header) => header.writeUInt8(3, 4))],
  ['a length of nothing', withHeader(plain.bytes, (header) => header.writeUIntLE(0, 5, 3))],
  [
    'a length beyond a chunk',
    withHeader(plain.bytes, (header) => header.writeUIntLE(131_073, 5, 3)),
  ],
  [
    'a packed length beyond it',
    withHeader(plain.bytes, (header) => header.writeUIntLE(0xffffff, 1, 3)),
  ],
  ['packed bytes that unpack to more', bomb(1000)],
  ['packed bytes that unpack to less', bomb(128 * 1024 - 1)],
  ['bytes behind the chunks', Buffer.concat([plain.bytes, randomBytes('behind', 50)])],
  ['a footer that is cut off', Buffer.concat([plain.bytes, xorbFooter().subarray(0, 60)])],
  ['a footer and more', Buffer.concat([plain.bytes, xorbFooter(), Buffer.alloc(1)])],
  ['a footer alone', xorbFooter()],
]

// conformance: Attacks / 24. An attacker uploads a wrong shard or xorb
test.each(shapes)('a xorb that is %s', async (_, bytes) => {
  await expectRefused(bytes)
})

test('a xorb of more chunks than one may have', async () => {
  const many = Array.from({ length: maxXorbChunks + 1 }, (_, at) =>
    Buffer.from([at & 255, at >> 8]),
  )
  const { hash, bytes } = makeXorb(many, { scheme: 'none' })
  await expectRefused(bytes, hash)
})

// conformance: Attacks / 24. An attacker uploads a wrong shard or xorb
test('a xorb called by a hash that differs in one digit', async () => {
  const hash = plain.hash.replace(/.$/, (last) => (last === '0' ? '1' : '0')) as typeof plain.hash
  await expectRefused(plain.bytes, hash)
})

/** Every bit, or some of them. */
const step = process.env['LATCHKEY_SOAK'] ? 7 : 401

test.each([
  ['plain', plain],
  ['packed', packed],
  ['grouped and packed', grouped],
] as const)('a xorb that is %s with any bit turned', async (_, { hash, bytes }) => {
  for (let bit = 0; bit < bytes.length * 8; bit += step * 8 + 3) {
    const turned = Buffer.from(bytes)
    turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    await expectRefused(turned, hash)
  }
})

test('and as it should be, it is taken', async () => {
  for (const xorb of [plain, packed, grouped]) {
    const repository = await stage.newRepository()
    const caller = await stage.caller(`write ${repository}@main`)
    expect((await caller.upload(xorb)).json).toEqual({ was_inserted: true })
  }
})

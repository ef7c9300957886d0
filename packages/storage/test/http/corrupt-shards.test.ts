/** Nothing in a shard is believed because the shard says so, and one that says anything untrue registers nothing. */

import {
  makeFile,
  makeShard,
  makeXorb,
  randomBytes,
  randomChunks,
} from '@latchkey/testing/xet/making'
import type { FileToRegister, Hash, WrittenXorb } from '@latchkey/xet/format'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodyOf, type Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'

const xorb = makeXorb(randomChunks('of shards', 6))
const never = makeXorb(randomChunks('never sent', 6))
const file = makeFile([{ xorb, start: 1, end: 4 }, { xorb }])
const good = makeFile([{ xorb, end: 2 }])
const shard = makeShard({ files: [file], xorbs: [xorb] })

let stage: Stage
let writer: Caller
let before: unknown
beforeAll(async () => {
  stage = await openStage()
  writer = await stage.caller(`write ${await stage.newRepository()}@main`)
  await writer.upload(xorb)
  before = await state()
})
afterAll(() => stage.close())

const state = async () => [await stage.rows(), stage.objects(), stage.drafts()]

async function expectRefused(bytes: Buffer): Promise<void> {
  const told = await writer.ask('POST /v1/shards', { body: bodyOf(bytes) })
  expect([told.status, told.code]).toEqual([400, 'content_invalid'])
  const events = await writer.ask('POST /v2/shards', { body: bodyOf(bytes) })
  expect(events.text.trim().split('\n').at(-1)).toContain('"type":"error"')
  expect(await state()).toEqual(before)
}

/** The file with something about its first term said otherwise. */
function withTerm(change: Partial<FileToRegister['terms'][number]>): Buffer {
  const [first, ...rest] = file.terms
  if (first === undefined) throw new Error('the file has terms')
  // Something good comes first, and does not count either.
  return makeShard({ files: [good, { ...file, terms: [{ ...first, ...change }, ...rest] }] })
}

/** A number of 32 bits in the shard, said otherwise. */
function withNumber(row: number, at: number, number: number): Buffer {
  const copy = Buffer.from(shard)
  copy.writeUInt32LE(number, row * 48 + at)
  return copy
}

/** What says what it has not. */
const lying = (other: WrittenXorb): WrittenXorb => ({ ...other, hash: xorb.hash })

const shapes: readonly (readonly [string, Buffer])[] = [
  ['is empty', Buffer.alloc(0)],
  ['is something else', randomBytes('no shard', 500)],
  ['is cut off in its header', shard.subarray(0, 40)],
  ['is cut off in a file', shard.subarray(0, 48 * 3 + 10)],
  ['is cut off before its last row', shard.subarray(0, -48)],
  ['goes on behind its end', Buffer.concat([shard, Buffer.alloc(48)])],
  ['has another version', withNumber(0, 32, 3)],
  ['announces a footer that is not there', withNumber(0, 40, 200)],
  ['announces more terms than there are', withNumber(1, 36, 3)],
  ['announces terms without end', withNumber(1, 36, 0xffffffff)],
  ['announces chunks without end', withNumber(7, 36, 0xffffffff)],
  ['has a file without proof', withNumber(1, 32, 0)],
  ['calls a file by another hash', makeShard({ files: [good, { ...file, hash: good.hash }] })],
  ['calls nothing by a hash', makeShard({ files: [{ hash: file.hash, terms: [] }] })],
  [
    'calls a file by the hash of nothing',
    makeShard({ files: [{ ...file, hash: '0'.repeat(64) as Hash }] }),
  ],
  ['proves a run by another hash', withTerm({ range: randomBytes('no proof', 32) })],
  ['has another number of bytes', withTerm({ unpackedBytes: 1 })],
  ['has a run beyond the last chunk', withTerm({ start: 4, end: 7 })],
  ['has a run beyond all chunks', withTerm({ start: 0xfffffff0, end: 0xffffffff })],
  ['has a run that is empty', withTerm({ start: 2, end: 2 })],
  ['has a run that goes back', withTerm({ start: 4, end: 1 })],
  ['refers to a xorb that was never sent', withTerm({ xorb: never.hash })],
  ['refers to a file as if it were a xorb', makeShard({ files: [good, made(good.hash)] })],
  ['is made of itself', makeShard({ files: [made(file.hash)] })],
  ['gives a xorb other chunks', makeShard({ files: [good], xorbs: [lying(never)] })],
  [
    'gives a xorb fewer chunks',
    makeShard({ files: [good], xorbs: [lying(makeXorb(randomChunks('of shards', 5)))] }),
  ],
  [
    'gives a xorb more chunks',
    makeShard({ files: [good], xorbs: [lying(makeXorb(randomChunks('of shards', 7)))] }),
  ],
  ['speaks of a xorb that was never sent', makeShard({ files: [good], xorbs: [xorb, never] })],
  ['gives a chunk another length', withNumber(8, 36, 999)],
]

/** A file that says it is made of what is no xorb. */
function made(of: Hash): FileToRegister {
  return { ...file, terms: file.terms.map((term) => ({ ...term, xorb: of })) }
}

// conformance: Attacks / 24. An attacker uploads a wrong shard or xorb
test.each(shapes)('a shard that %s', async (_, bytes) => {
  await expectRefused(bytes)
})

// conformance: Guarantees / The storage verifies every claim of a client about content
// conformance: Attacks / 24. An attacker uploads a wrong shard or xorb
test('a shard in which a hash has any bit turned', async () => {
  // Header, file, two terms, two proofs, end, xorb, chunks: rows that begin with a hash.
  for (const row of [0, 1, 2, 3, 4, 5, 6, 7, 8, 13]) {
    const turned = Buffer.from(shard)
    turned[row * 48 + (row % 32)] = (turned[row * 48 + (row % 32)] ?? 0) ^ 0x10
    await expectRefused(turned)
  }
})

test('runs that overlap are legal where the hash of the file follows from them', async () => {
  const overlapping = makeFile([
    { xorb, start: 0, end: 4 },
    { xorb, start: 2 },
    { xorb, start: 0, end: 4 },
  ])
  expect((await writer.register([overlapping], [xorb])).json).toEqual({ result: 1 })
  const chunks = randomChunks('of shards', 6)
  const bytes = [chunks.slice(0, 4), chunks.slice(2), chunks.slice(0, 4)].flat()
  expect(await writer.download(overlapping.hash)).toEqual(Buffer.concat(bytes))
})

// conformance: Attacks / 24. An attacker uploads a wrong shard or xorb
test('the first way in which a file was put together stays', async () => {
  const chunks = randomChunks('of shards', 6)
  const again = makeXorb(chunks.slice(0, 3))
  await writer.upload(again)
  const [one, two] = [makeFile([{ xorb, end: 3 }]), makeFile([{ xorb: again }])]
  expect(one.hash).toBe(two.hash)
  expect((await writer.register([one])).json).toEqual({ result: 1 })
  expect((await writer.register([two])).json).toEqual({ result: 0 })
  const { json } = await writer.ask(`GET /v1/reconstructions/${one.hash}`)
  expect(json['terms']).toMatchObject([{ hash: xorb.hash }])
})

test('a file that is named twice is registered once, the first way', async () => {
  const [, filesBefore = 0] = await stage.rows()
  const again = makeXorb(randomChunks('of shards', 6).slice(1, 4))
  await writer.upload(again)
  const [one, two] = [makeFile([{ xorb, start: 1, end: 4 }]), makeFile([{ xorb: again }])]
  const empty = { hash: '0'.repeat(64) as Hash, terms: [] }
  expect((await writer.register([one, empty, two, empty])).json).toEqual({ result: 1 })
  expect((await stage.rows())[1]).toBe(filesBefore + 2)
  const { json } = await writer.ask(`GET /v1/reconstructions/${one.hash}`)
  expect(json['terms']).toMatchObject([{ hash: xorb.hash }])
})

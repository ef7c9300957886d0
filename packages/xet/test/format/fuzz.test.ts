/** Thousands of broken xorbs, frames and shards: each is a flaw or means what it meant before, and none costs memory. */

import { setImmediate as breathe } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import {
  makeFile,
  makeShard,
  makeXorb,
  numberBytes,
  randomChunks,
  wordyBytes,
} from '@latchkey/testing/xet/making'
import { beforeAll, expect, test } from 'vitest'
import { checkXorb } from '../../src/format/check-xorb.ts'
import { isFormatError } from '../../src/format/format-error.ts'
import { readShard } from '../../src/format/read-shard.ts'
import { unpackFrame } from '../../src/format/unpack-frame.ts'
import { seededBreaks } from './breaks.ts'
import { frameHeader, makeFrame } from './make-frame.ts'

const count = rounds(2000, 100_000)
/** Long enough for all of them on a busy machine. */
const timeout = 300_000
const seed = process.env['LATCHKEY_SEED'] ?? String(Date.now())
/** Beyond what is there before, with what is not yet collected; a megabyte that was kept for each input would be thousands. */
const maxGrowth = 600 * 1024 * 1024

const xorb = makeXorb([
  ...randomChunks('fuzz', 2, 300),
  wordyBytes('fuzz', 3000),
  numberBytes(3, 2000),
  Buffer.alloc(20_000),
])
const wordy = wordyBytes('frame', 20_000)
const frames = [
  makeFrame(wordy),
  makeFrame(wordy, { isLinked: true, cutAt: 3000 }),
  makeFrame(wordy, { isLinked: true, hasContentChecksum: true, cutAt: 9000 }),
]
const shards = [false, true].map((hasFooter) =>
  makeShard({
    files: [makeFile([{ xorb }]), makeFile([{ xorb, start: 1 }])],
    xorbs: [xorb],
    hasFooter,
  }),
)

let before = 0
beforeAll(() => {
  before = process.memoryUsage().rss
})

function expectLittleGrowth(): void {
  expect(process.memoryUsage().rss - before).toBeLessThan(maxGrowth)
}

test(`a broken xorb is a flaw or has the same chunks (seed ${seed})`, { timeout }, async () => {
  const breaks = seededBreaks(`xorb ${seed}`)
  let flaws = 0
  for (let index = 0; index < count * 0.4; index += 1) {
    const checked = checkXorb(readingOf(breaks.broken(xorb.bytes)), xorb.hash)
    if (isFormatError(checked)) flaws += 1
    else if (!sameHashes(checked.table)) expect.fail(`other chunks passed at ${index}`)
    // What the hasher holds outside is given back between two turns, as between two drafts.
    if (index % 100 === 0) await breathe()
  }
  expect(flaws).toBeGreaterThan(count * 0.2)
  expectLittleGrowth()
})

test(`a broken frame is a flaw or as long as it should be (seed ${seed})`, { timeout }, () => {
  const breaks = seededBreaks(`frame ${seed}`)
  let flaws = 0
  for (let index = 0; index < count * 0.3; index += 1) {
    const whole = frames[index % frames.length] ?? Buffer.alloc(0)
    const broken = breaks.broken(whole)
    // Half of them keep a header that is believed.
    if (index % 2 === 0) frameHeader({ isLinked: index % 4 === 0 }).copy(broken)
    const unpacked = unpackFrame(broken, wordy.length)
    if (isFormatError(unpacked)) flaws += 1
    else if (unpacked.length !== wordy.length) expect.fail(`another length passed at ${index}`)
  }
  expect(flaws).toBeGreaterThan(0)
  expectLittleGrowth()
})

test(`a broken shard is read to its end or to a flaw (seed ${seed})`, { timeout }, async () => {
  const breaks = seededBreaks(`shard ${seed}`)
  let flaws = 0
  for (let index = 0; index < count * 0.3; index += 1) {
    const broken = breaks.broken(shards[index % 2] ?? Buffer.alloc(0))
    let read = 0
    for await (const part of readShard(inParts(broken, breaks.below(500) + 1))) {
      if (isFormatError(part)) flaws += 1
      else read += part.kind === 'file' ? [...part.terms].length : part.chunks.count
    }
    if (read * 48 > broken.length) expect.fail(`more was read than was there at ${index}`)
  }
  expect(flaws).toBeGreaterThan(0)
  expectLittleGrowth()
})

function sameHashes(table: typeof xorb.table): boolean {
  const indexes = Array.from({ length: xorb.table.count }, (_, index) => index)
  return (
    table.count === xorb.table.count &&
    indexes.every((index) => table.hash(index) === xorb.table.hash(index))
  )
}

function readingOf(bytes: Buffer): (into: Uint8Array) => number {
  let at = 0
  return (into) => {
    const part = bytes.subarray(at, at + into.length)
    into.set(part)
    at += part.length
    return part.length
  }
}

async function* inParts(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

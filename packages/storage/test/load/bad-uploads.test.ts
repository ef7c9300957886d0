/** Many bodies that are wrong: each is refused, and nothing is left of them on the disk or in memory. */

import { type Chance, printedChance, rounds } from '@latchkey/testing/chance'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import {
  makeFile,
  makeShard,
  makeXorb,
  numberBytes,
  randomBytes,
  wordyBytes,
} from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { leftBehind } from '../crash/left-behind.ts'
import {
  type Answer,
  type Ref,
  type StorageProcess,
  serveStorage,
} from '../crash/storage-process.ts'
import * as memory from './memory.ts'
import { spoil } from './spoil.ts'

const batches = rounds(6, 100)
const perBatch = rounds(80, 300)
const connections = 8
/** A heap so small is swept often; what could not be let go would end the process. */
const smallHeap = ['--max-old-space-size=80', '--max-semi-space-size=4']
/** Over all but the first third, in which code is compiled and caches fill. */
const maxGrowthMegabytes = 12

const right = makeXorb([
  ...[wordyBytes(1, 3000), randomBytes(1, 2000), numberBytes(1, 4000)],
  ...[wordyBytes(2, 70_000), numberBytes(2, 9001)],
])
const unknown = makeXorb([randomBytes('unknown', 1000)])
const shard = makeShard({ files: [makeFile([{ xorb: right }])], xorbs: [right] })

const shared = sharedFolder()
let storage: StorageProcess
let data: string
let ref: Ref
beforeAll(async () => {
  const prepared = await prepareData(shared)
  data = prepared.data
  storage = await serveStorage(prepared, shared, smallHeap)
  ref = await storage.openRef('main')
  expect((await ref.sendXorb(right.hash, new Uint8Array(right.bytes))).status).toBe(200)
})
beforeEach(({ skip }) => {
  if (!memory.isKnown) skip('this system does not tell what a process takes in memory')
})
afterAll(() => storage?.end('SIGKILL'))

test(`${batches * perBatch} wrong uploads are refused, and leave no file and no growth of memory`, async () => {
  const chance = printedChance('wrong uploads')
  const sizes: number[] = []
  for (let batch = 0; batch < batches; batch += 1) {
    await Promise.all(
      Array.from({ length: connections }, () => sendWrong(chance, perBatch / connections)),
    )
    sizes.push(memory.memoryOf(storage))
  }
  process.stdout.write(`memory of the storage: ${sizes.map(Math.round).join(' ')} MB\n`)
  const { flaws, drafts, strays, hashes } = await leftBehind(data)
  expect({ flaws, drafts, strays }).toEqual({ flaws: [], drafts: 0, strays: 0 })
  expect(hashes.has(unknown.hash)).toBe(false)
  const third = Math.floor(batches / 3)
  const growth = median(sizes.slice(-third)) - median(sizes.slice(third, 2 * third))
  expect(growth).toBeLessThan(maxGrowthMegabytes)
  const { body } = await ref.readXorb(right.hash)
  expect(body.equals(right.bytes)).toBe(true)
}, 600_000)

async function sendWrong(chance: Chance, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    const isShard = chance.next() < 0.4
    const { status, body } = await (isShard ? sendWrongShard(chance) : sendWrongXorb(chance))
    // What a spoiled shard says may be true all the same, where nobody relies on what was spoiled.
    expect(isShard ? [200, 400, 422] : [400, 422], body.toString()).toContain(status)
  }
}

/** Whatever it holds, it is not what it is called. */
function sendWrongXorb(chance: Chance): Promise<Answer> {
  return ref.sendXorb(unknown.hash, spoil(right.bytes, chance))
}

function sendWrongShard(chance: Chance): Promise<Answer> {
  return ref.sendShard(Buffer.from(spoil(shard, chance)))
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

/** An upload that was broken off and is run again: what has arrived is found, and only the rest is sent. */

import { setImmediate } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { randomBytes } from '@latchkey/testing/xet/making'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startUpload, type UploadPace } from '../../src/upload/upload-files.ts'
import { type MemoryStorage, memoryStorage } from '../memory-storage.ts'
import { downloadWhole, inPieces } from '../moving.ts'

/** Small xorbs are lost like large ones. */
const xorbBytes = 512 * 1024
const pace: UploadPace = {
  segments: [{ bytes: xorbBytes, until: Number.POSITIVE_INFINITY }],
  limits: { bytes: 4 * xorbBytes, atOnce: 3 },
}

interface Run {
  /** What was sent of each xorb, in order, whether it arrived or not. */
  readonly sent: number[]
  readonly lost: number[]
  readonly hashes: readonly string[]
}

/** Sends all of it; the xorbs whose number is in `lose` never arrive, and then the run ends like a killed process. */
async function run(
  storage: MemoryStorage,
  contents: readonly Uint8Array[],
  lose: ReadonlySet<number> = new Set(),
): Promise<Run> {
  const [sent, lost]: [number[], number[]] = [[], []]
  const calls: MemoryStorage = {
    ...storage,
    async sendXorb(xorb, parts) {
      const bytes = parts.reduce((sum, { length }) => sum + length, 0)
      const index = sent.push(bytes) - 1
      if (lose.has(index)) lost.push(bytes)
      else await storage.sendXorb(xorb, parts)
    },
    async sendShard(shard) {
      if (lost.length === 0) await storage.sendShard(shard)
    },
  }
  const upload = startUpload(calls, { pace })
  const added = await Promise.all(contents.map((content) => upload.add(inPieces(content))))
  await upload.finish()
  return { sent, lost, hashes: added.map(({ hash }) => hash) }
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

/** Whatever is lost: in all no more is sent than once, and once more for what was lost. */
async function expectResumed(
  contents: readonly Uint8Array[],
  breaks: readonly (readonly number[])[],
): Promise<{ readonly xorbs: number }> {
  const { sent } = await run(memoryStorage(), contents)
  const whole = total(sent)
  const storage = memoryStorage()
  const runs: Run[] = []
  for (const lose of [...breaks, []]) runs.push(await run(storage, contents, new Set(lose)))
  const lost = total(runs.flatMap((one) => one.lost))
  expect(total(runs.flatMap((one) => one.sent))).toBeLessThanOrEqual(whole + lost)
  for (const [index, hash] of (runs.at(-1)?.hashes ?? []).entries()) {
    const content = Buffer.from(contents[index] ?? [])
    expect(content.equals(await downloadWhole(storage, hash as never))).toBe(true)
  }
  return { xorbs: sent.length }
}

/** In the last, first and last are lost as well. */
const breaksOfOne: readonly (readonly [string, number[][]])[] = [
  ['the first', [[0]]],
  ['the last', [[4]]],
  ['some that are not neighbours, then one of them again', [[1, 3], [0]]],
  ['all but one, again and again', [[0, 1, 2, 4], [0, 1, 3], [0]]],
]

it.each(breaksOfOne.slice(rounds(2, 0)))(
  'of a file of five xorbs, %s is lost',
  async (_, breaks) => {
    const { xorbs } = await expectResumed([randomBytes('five', 4.5 * xorbBytes)], breaks)
    expect(xorbs).toBe(5)
  },
)

it('of many files that share xorbs, any may be lost', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: xorbBytes / 4 }), {
    minLength: 12,
    maxLength: 24,
  })
  const breaks = fc.array(fc.uniqueArray(fc.nat(5), { maxLength: 4 }), { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(lengths, breaks, async (given, lost) => {
      const contents = given.map((length, index) => randomBytes(`${index} ${length}`, length))
      await expectResumed(contents, lost)
    }),
    { numRuns: rounds(3, 1000) },
  )
})

it('files that are added at once are sent as if they were added one after the other', async () => {
  const contents = Array.from({ length: 24 }, (_, index) => randomBytes(index, 100_000))
  const [atOnce, inTurn] = [memoryStorage(), memoryStorage()]
  let answered = 0
  // Answers come in any order.
  const findChunk: MemoryStorage['findChunk'] = async (chunk) => {
    for (let ticks = (answered++ * 7) % 5; ticks > 0; ticks -= 1) await setImmediate()
    return inTurn.findChunk(chunk)
  }
  await run({ ...atOnce, findChunk }, contents)
  const upload = startUpload(inTurn, { pace })
  for (const content of contents) await upload.add(inPieces(content))
  await upload.finish()
  expect([...atOnce.xorbs.keys()]).toEqual([...inTurn.xorbs.keys()])
})

it('a file that cannot be read keeps no other file waiting', async () => {
  const storage = memoryStorage()
  const upload = startUpload(storage)
  const [broken, whole] = [upload.add(breaking()), upload.add(inPieces(randomBytes(1, 1000)))]
  await expect(broken).rejects.toThrow('the disk is gone')
  expect((await whole).bytes).toBe(1000)
  await upload.finish()
  expect(storage.files.size).toBe(1)
})

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('the beginning')
  throw new Error('the disk is gone')
}

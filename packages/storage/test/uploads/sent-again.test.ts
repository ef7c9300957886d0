/** What the storage has is not sent again: by a new run, after a change, and after a break. */

import { rounds } from '@latchkey/testing/chance'
import { randomBytes } from '@latchkey/testing/xet/making'
import { startUpload, type UploadCalls } from '@latchkey/xet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { type Counted, countingCalls, inPieces } from './counting-calls.ts'

const mebibyte = 1024 * 1024
const xorbBytes = mebibyte
const pace = {
  segments: [{ bytes: xorbBytes, until: Number.POSITIVE_INFINITY }],
  limits: { bytes: 4 * xorbBytes, atOnce: 3 },
}

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

async function writer(): Promise<Caller> {
  return stage.caller(`write ${await stage.newRepository()}@main`)
}

/** One run of a program: it remembers nothing of an earlier one. */
async function upload(
  caller: Caller,
  contents: readonly Uint8Array[],
  change: (calls: UploadCalls) => Partial<UploadCalls> = () => ({}),
): Promise<Counted & { readonly hashes: readonly string[]; readonly kept: number }> {
  const calls = countingCalls(caller)
  let kept = 0
  const onAcknowledged = (bytes: number) => {
    kept = bytes
  }
  const uploading = startUpload({ ...calls, ...change(calls) }, { onAcknowledged, pace })
  const added = await Promise.all(contents.map((content) => uploading.add(inPieces(content))))
  await uploading.finish()
  return { ...calls.counted, hashes: added.map(({ hash }) => hash), kept }
}

const large = randomBytes('large', 5 * mebibyte)
const nothing = { xorbs: 0, xorbBytes: 0, shards: 0 }

describe('a file of several xorbs', () => {
  let caller: Caller
  let first: Awaited<ReturnType<typeof upload>>
  beforeAll(async () => {
    caller = await writer()
    first = await upload(caller, [large])
  })

  it('is sent once, and told how much of it is kept', async () => {
    expect(first.xorbs).toBe(5)
    expect(first.kept).toBe(first.xorbBytes)
    expect(large.equals((await caller.download(first.hashes[0] ?? '')) as Buffer)).toBe(true)
  })

  it('is not sent again unchanged: no chunk, no shard, and one question finds all of it', async () => {
    const again = await upload(caller, [large])
    expect(again).toMatchObject({ ...nothing, questions: 1, heads: 1, hashes: first.hashes })
  })

  it('with one hundredth changed sends less than a twentieth', async () => {
    const changed = Buffer.from(large)
    randomBytes('change', Math.floor(large.length / 100)).copy(changed, 3 * mebibyte)
    const { xorbBytes, hashes } = await upload(caller, [changed])
    expect(xorbBytes).toBeGreaterThan(large.length / 100)
    expect(xorbBytes).toBeLessThan(large.length / 20)
    expect(changed.equals((await caller.download(hashes[0] ?? '')) as Buffer)).toBe(true)
  })
})

it('many small files that are sent again send nothing', async () => {
  const caller = await writer()
  const count = rounds(50, 150)
  const files = Array.from({ length: count }, (_, index) => randomBytes(`s ${index}`, 2000 + index))
  const first = await upload(caller, files)
  expect(first).toMatchObject({ xorbs: 1, shards: 1 })
  const again = await upload(caller, files)
  expect(again).toMatchObject({ ...nothing, heads: count, hashes: first.hashes })
})

it('a file that another branch has is registered here too, without its chunks, and outlives that branch', async () => {
  const repository = await stage.newRepository()
  const content = randomBytes('inherited', mebibyte)
  await stage.newBranch(repository, 'origin')
  await upload(await stage.caller(`write ${repository}@origin`), [content])
  await stage.newBranch(repository, 'fork', 'origin')
  const fork = await stage.caller(`write ${repository}@fork`)
  const { hashes, ...sent } = await upload(fork, [content])
  expect(sent).toMatchObject({ xorbs: 0, shards: 1 })
  expect(await upload(fork, [content])).toMatchObject(nothing)
  await stage.world.done('ref delete', { repository, ref: 'origin' })
  const later = await stage.caller(`write ${repository}@fork`)
  expect(content.equals((await later.download(hashes[0] ?? '')) as Buffer)).toBe(true)
})

it('after breaks no more is sent in all than once, and once more for what was on its way', async () => {
  const caller = await writer()
  const content = randomBytes('broken', 2.5 * xorbBytes)
  let [sent, lost] = [0, 0]
  for (const breakAt of [2, 1]) {
    let count = 0
    const counted = await upload(caller, [content], ({ sendXorb }) => ({
      // The connection breaks in the middle of one xorb; the others arrive.
      async sendXorb(xorb, parts) {
        count += 1
        if (count !== breakAt) return sendXorb(xorb, parts)
        const bytes = parts.reduce((sum, { length }) => sum + length, 0)
        sent += bytes
        lost += bytes
      },
      // Like a killed process: it never comes to the shard.
      async sendShard() {},
    }))
    sent += counted.xorbBytes
  }
  const last = await upload(caller, [content])
  sent += last.xorbBytes
  expect(lost).toBeGreaterThan(xorbBytes)
  expect(sent).toBeLessThanOrEqual(content.length * 1.001 + lost)
  expect(content.equals((await caller.download(last.hashes[0] ?? '')) as Buffer)).toBe(true)
})

/** Beside the largest shards that are allowed, others upload, and the command line revokes. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { expect, onTestFinished, test } from 'vitest'
import { defaultShardCaps } from '../../src/bounds/shard-caps.ts'
import { bodyOf } from '../caller.ts'
import { openStage } from '../stage.ts'

const command = new URL('../../../cli/bin/latchkey.js', import.meta.url).pathname

const xorb = makeXorb(randomChunks('of many files', 8192, 4))

/** Two files for each of the first chunks: the chunk, and the chunk with the next one. */
function largestShard(): Uint8Array<ArrayBuffer> {
  const files = Array.from({ length: defaultShardCaps.files }, (_, index) => {
    const start = Math.floor(index / 2)
    return makeFile([{ xorb, start, end: start + 1 + (index % 2) }])
  })
  return bodyOf(makeShard({ files }))
}

test('uploads and a revocation by the command succeed beside three largest shards', {
  tags: 'soak',
  timeout: 120_000,
}, async () => {
  const stage = await openStage()
  onTestFinished(() => stage.close())
  const { data, database } = stage.world.settings
  const where = ['--data', data, '--database', `${database}`]
  const latchkey = (...words: string[]) =>
    promisify(execFile)(process.execPath, [command, 'hub-token', ...words, ...where], { env: {} })
  const newCaller = async () => stage.caller(`write ${await stage.newRepository()}@main`)
  const other = await newCaller()
  const callers = [await newCaller(), await newCaller(), await newCaller()]
  for (const caller of callers) expect((await caller.upload(xorb)).status).toBe(200)
  const list = JSON.parse((await latchkey('list', '--json')).stdout)
  const id = JSON.stringify(list).match(/"id":"(\w+)"/)?.[1] ?? ''

  let left = callers.length
  const body = largestShard()
  const registered = callers.map(async (caller) => {
    const told = await caller.ask('POST /v1/shards', { body })
    expect(told.json).toEqual({ result: 1 })
    left -= 1
  })
  const started = performance.now()
  const passed = () => `${Math.round(performance.now() - started)} ms, ${left} shards left`
  const revoking = latchkey('revoke', id).then(() => console.log(`revoked after ${passed()}`))
  let longest = 0
  for (let count = 0; left > 0; count += 1) {
    const begun = performance.now()
    expect((await other.upload(makeXorb(randomChunks(count, 2)))).status).toBe(200)
    longest = Math.max(longest, performance.now() - begun)
  }
  console.log(`the longest upload took ${Math.round(longest)} ms`)
  await Promise.all([...registered, revoking])
})

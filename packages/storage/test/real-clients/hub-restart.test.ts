/** The unmodified `@huggingface/hub` while the hub is restarted under its uploads. */

import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { huggingfaceJs } from './huggingface-js.ts'
import { restartHubAt } from './restart-hub.ts'
import { openStage, type Stage } from './stage.ts'
import { statusesOfUploads } from './transfers.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const files = {
  first: keystream('first', 400_000),
  second: keystream('second', 300_000),
  third: keystream('third', 10_000),
}

test('an upload of several files outlives a hub that is restarted under its xorb and again under its shard', async () => {
  const client = huggingfaceJs(stage)
  const restarts = restartHubAt(stage, [/^POST .*\/xorbs\//, /^POST .*\/shards$/])
  await client.upload(files)
  await restarts.done()
  expect(statusesOfUploads(stage.door.passed)).toEqual(new Set([200]))
  for (const [path, bytes] of Object.entries(files)) {
    expect((await client.download(path)).equals(bytes), path).toBe(true)
  }
})

/** Collection keeps what an unfinished upload has stored for 24 hours after its last byte, and then frees it. */

import { isRefusal } from '@latchkey/protocol'
import { randomBytes } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import { openStage, type Stage } from '../stage.ts'
import { fileOf, offsetOf, putPart, stateOf } from '../uploads/file-parts.ts'

const bytes = randomBytes('unfinished', 500_000)
const [half, hour] = [250_000, 3600]

let stage: Stage
let repository: string
beforeAll(async () => {
  stage = await openStage()
  repository = await stage.newRepository()
})
afterAll(() => stage.close())

/** With a token of its own: each lives 15 minutes. */
const caller = () => stage.caller(`write ${repository}@main`)
const upload = async (id: string, from: number, to: number) =>
  putPart(await caller(), bytes, { id, from, to })

async function collectAll() {
  const found = await collect(stage.maintenance, {
    ...{ now: stage.world.now(), graceSeconds: hour, isDryRun: false },
  })
  if (isRefusal(found)) throw new Error(found.detail)
  return found
}

const uploadRows = async () =>
  stage.maintenance.read((tables) => tables.selectFrom('file_uploads').selectAll().execute())

test('an upload of several days loses nothing to collection', async () => {
  await upload('slow', 0, half)
  for (const to of [half + 1, half + 2, bytes.length - 1]) {
    stage.world.passSeconds(23 * hour)
    await collectAll()
    const offset = Number(offsetOf(await (await caller()).ask('HEAD /v1/files?upload=slow')))
    expect((await upload('slow', offset, to)).status).toBe(202)
  }
  stage.world.passSeconds(23 * hour)
  expect((await collectAll()).freedBytes).toBe(0)
  const told = await upload('slow', bytes.length - 1, bytes.length)
  expect(told.json).toEqual(await fileOf(bytes))
  stage.world.passSeconds(48 * hour)
  await collectAll()
  const read = await (await caller()).ask(`GET /v1/files/${told.json['hash']}`)
  expect(read.bytes.equals(bytes)).toBe(true)
})

test.each(['that expired', 'that was deleted'])('an upload %s is freed', async (how) => {
  const other = randomBytes(how, 300_000)
  const put = async (from: number, to: number) =>
    putPart(await caller(), other, { id: 'left', from, to })
  const before = stage.objects()
  await put(0, 200_000)
  expect(stage.objects().length).toBeGreaterThan(before.length)
  if (how === 'that was deleted') {
    expect((await (await caller()).ask('DELETE /v1/files?upload=left')).status).toBe(204)
    stage.world.passSeconds(2 * hour)
  } else {
    stage.world.passSeconds(24 * hour + 1)
  }
  expect((await collectAll()).freedBytes).toBeGreaterThan(100_000)
  expect(stage.objects()).toEqual(before)
  expect(await uploadRows()).toEqual([])
  expect(await stateOf(await caller(), 'left')).toEqual([404, null, null])
})

test('a ref that is deleted takes its uploads along', async () => {
  await stage.newBranch(repository, 'gone')
  const by = await stage.caller(`write ${repository}@gone`)
  await putPart(by, bytes, { from: 0, to: 10 })
  expect(await uploadRows()).toHaveLength(1)
  await stage.world.done('ref delete', { repository, ref: 'gone' })
  expect(await uploadRows()).toEqual([])
})

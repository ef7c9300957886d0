/** SIGKILL while xorbs go into a bucket: what was acknowledged is there and whole, and no other can be seen. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { bundledProgram } from '@latchkey/testing/machine/bundled-program'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/catalog-database.ts'
import { collectObjects } from '../../src/maintenance/collect-objects.ts'
import { inspectObject } from '../../src/maintenance/inspect-object.ts'
import { namedObjects } from '../../src/maintenance/named-objects.ts'
import { openS3 } from '../objects/s3-world.ts'
import type { PuttingTask } from './putting-process.ts'

const kills = rounds(20, 200)
/** A kill comes after so many acknowledgements at most, and a little later. */
const maxAnswers = 6
const maxMs = 30

const hasNoStore = isVersitygwMissing('it is not tested what a kill leaves in a bucket')
const folder = sharedFolder()
let store: LocalS3Store
let program: string
beforeAll(async () => {
  if (hasNoStore) return
  store = await sharedVersitygw()
  program = await bundledProgram(new URL('putting-process.ts', import.meta.url))
})
afterAll(() => store?.kill())

/** Gives the xorbs that were acknowledged. */
async function killedPutting(task: PuttingTask, answers: number, afterMs: number) {
  const child = fork(program, [JSON.stringify(task)])
  const acknowledged: string[] = []
  const { promise: isFar, resolve } = Promise.withResolvers<void>()
  child.on('message', (told) => {
    acknowledged.push(String(told))
    if (acknowledged.length > answers) resolve()
  })
  await Promise.race([isFar, once(child, 'exit')])
  await delay(afterMs)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return acknowledged.slice(1)
}

// conformance: Embedded storage / A kill of the storage or of its hub loses no acknowledged write
test.skipIf(hasNoStore)(
  `killed at ${kills} random moments, all that was acknowledged is in the bucket, and no xorb by half`,
  async () => {
    const chance = printedChance('objects in S3')
    const place = { ...store.newPlace(), scratch: `${folder}/scratch` }
    const objects = openS3(place)
    await objects.prepare()
    openCatalog(folder).close()
    const acknowledged = new Set<string>()
    for (let run = 0; run < kills; run += 1) {
      const answers = Math.floor(chance.next() * maxAnswers)
      const task = { data: folder, place, run }
      for (const hash of await killedPutting(task, answers, chance.next() * maxMs)) {
        acknowledged.add(hash)
      }
    }
    const database = openCatalog(folder)
    const seen = new Set<string>()
    for await (const named of namedObjects(database, undefined)) {
      expect(await inspectObject({ objects }, named, true), named.hash).toBeUndefined()
      seen.add(named.hash)
    }
    expect(acknowledged.difference(seen)).toEqual(new Set())
    expect(acknowledged.size).toBeGreaterThan(kills / 2)
    const left = await keysIn(objects)
    const change = async <Result>(work: Parameters<typeof database.change<Result>>[0]) => {
      const done = await database.change(work)
      if (isRefusal(done)) throw new Error(done.detail)
      return done
    }
    const now = unixSeconds(1_900_000_000)
    const identity = { check: async () => undefined }
    const removing = { objects, read: database.read, change, clock: () => now, identity }
    const all = { before: now, isDryRun: false, keepSeconds: 0 }
    const collected = await collectObjects({ ...removing, letReadersEnd: async () => {} }, all)
    if (isRefusal(collected)) throw new Error(collected.detail)
    const kept = await keysIn(objects)
    // Whatever was cut off is found by its row.
    expect(kept).toHaveLength(seen.size)
    const drafts = await objects.sweepDrafts(now, false)
    const strays = left.length - kept.length
    process.stdout.write(
      `S3: ${JSON.stringify({ acknowledged: acknowledged.size, seen: seen.size, strays, reserved: collected.objects.count, drafts: drafts.count })}\n`,
    )
    expect(collected.objects.count).toBeGreaterThanOrEqual(strays)
    await database.close()
  },
  kills * 60_000,
)

async function keysIn(objects: ReturnType<typeof openS3>): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { key } of objects.list()) keys.push(key)
  return keys
}

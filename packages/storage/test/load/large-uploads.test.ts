/** Many large uploads at once: all of them are kept, in memory that does not grow with them. */

import { availableParallelism } from 'node:os'
import { rounds } from '@latchkey/testing/chance'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { leftBehind } from '../crash/left-behind.ts'
import { type StorageProcess, serveStorage } from '../crash/storage-process.ts'
import { largeXorbs } from './large-xorbs.ts'
import * as memory from './memory.ts'
import { isReadBack, sendLarge } from './move-parts.ts'

const clients = 16
const megabytes = rounds(16, 64)
/** docs/guides/run-as-a-service.md, "Memory": every core but one has a thread that checks. */
const maxMegabytes = 288 + 32 * Math.min(clients, Math.max(1, availableParallelism() - 1))

const shared = sharedFolder()
let storage: StorageProcess
let data: string
beforeAll(async () => {
  const prepared = await prepareData(shared)
  data = prepared.data
  // As people start it: its memory is measured.
  storage = await serveStorage(prepared, shared, [])
})
beforeEach(({ skip }) => {
  if (!memory.isKnown) skip('this system does not tell what a process takes in memory')
})
afterAll(() => storage?.end('SIGKILL'))

test(`${clients} clients that upload ${megabytes} MB each at once take less than ${maxMegabytes} MB of memory`, async () => {
  const ref = await storage.openRef('main')
  const before = memory.memoryOf(storage)
  const xorbs = largeXorbs(clients, megabytes)
  const answers = await Promise.all(xorbs.map((xorb) => sendLarge(ref, xorb)))
  expect(answers).toEqual(xorbs.map(() => ({ status: 200, body: '{"was_inserted":true}' })))
  const afterUploads = memory.peakMemoryOf(storage)
  const found = await Promise.all(xorbs.map((xorb) => isReadBack(ref, xorb)))
  expect(found).toEqual(xorbs.map(() => true))
  const peak = memory.peakMemoryOf(storage)
  process.stdout.write(
    `memory of the storage: ${Math.round(before)} MB at first, ${Math.round(afterUploads)} MB at most during uploads, ${Math.round(peak)} MB in all\n`,
  )
  expect(peak).toBeLessThan(maxMegabytes)
  const { flaws, drafts, strays } = await leftBehind(data)
  expect({ flaws, drafts, strays }).toEqual({ flaws: [], drafts: 0, strays: 0 })
}, 300_000)

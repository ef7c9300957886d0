/** A process of its own that collects whenever it is told what time it is. */

import { openStore } from '@latchkey/hub/management'
import { unixSeconds } from '@latchkey/protocol'
import { collect } from '../../src/upkeep/collect.ts'
import { openUpkeep } from '../../src/upkeep/upkeep.ts'

const [, , database = '', data = ''] = process.argv
const store = openStore({ data, database: `sqlite:${database}` }, { create: false })
const { objects, ...rest } = openUpkeep({ store, data } as never)
// Drafts have the moments of the real clock, beside which the test's is years ahead.
const sweepDrafts = async () => ({ count: 0, bytes: 0 })
const upkeep = { ...rest, objects: { ...objects, sweepDrafts } }

process.on('message', async (now) => {
  process.send?.(await collect(upkeep, { now: unixSeconds(Number(now)), isDryRun: false }))
})
process.on('disconnect', () => store.close())

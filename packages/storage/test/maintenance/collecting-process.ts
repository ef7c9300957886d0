/** A process of its own that collects whenever it is told what time it is. */

import { openStore, repositoryNames, storeLink } from '@latchkey/hub/management'
import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { collect } from '../../src/maintenance/collect.ts'
import { openMaintenance } from '../../src/maintenance/maintenance.ts'
import { openSharedCatalog } from '../catalog/test-catalog.ts'

const [, , data = '', killed] = process.argv
const store = await openStore({ data, database: 'sqlite:hub.db' }, { create: false })
const database = await openSharedCatalog(data)
const link = storeLink(store, { verb: 'storage gc' })
let now: UnixSeconds
const { objects, ...rest } = await openMaintenance({
  ...{ data, database, names: repositoryNames(store), clock: () => now },
  letReadersEnd: async () => {},
  link: {
    ...link,
    // As if the machine had stopped between the transaction that removes and the word to the hub.
    raiseEpochs: async (uids) =>
      killed === 'killed' ? void process.kill(process.pid, 'SIGKILL') : link.raiseEpochs(uids),
  },
})
// Drafts have the moments of the real clock, beside which the test's is years ahead.
const sweepDrafts = async () => ({ count: 0, bytes: 0 })
const maintenance = { ...rest, objects: { ...objects, sweepDrafts } }

process.on('message', async (told) => {
  now = unixSeconds(Number(told))
  process.send?.(await collect(maintenance, { now, isDryRun: false }))
})
process.on('disconnect', () => {
  database.close()
  store.close()
})

import { refuse } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'
import { serveRoutes } from '@latchkey/service/http/routes'
import { bodiesWithinHeap, shares } from '@latchkey/service/limits/shares'
import { inject } from '@latchkey/testing/http/inject'
import { expect, test } from 'vitest'
import { journalWatch } from '../../src/journal/journal-watch.ts'
import { linkRoutes } from '../../src/link/link-routes.ts'
import type { LinkCall } from '../../src/operations/admin-call.ts'
import { openDirectory } from '../verbs/open-directory.ts'

test('a full disk is told as such and is no failure of the service', async () => {
  const { store, now } = await openDirectory()
  const full = () => Promise.reject(new StorageFull())
  const logged: LinkCall[] = []
  const failures: unknown[] = []
  const routes = linkRoutes({
    identify: async () => ({ result: 'embedded' }),
    clientAddress: () => '127.0.0.1',
    directory: { ...store.directory, change: full },
    readBeside: store.readBeside,
    watch: journalWatch(async () => 0),
    clock: () => now,
    storages: new Map(),
    user: 'somebody',
    bodyRoom: shares(bodiesWithinHeap()),
    takeSlot: () => () => {},
    refuseEpochs: () => undefined,
    onKnownNumber: async () => {},
    logLinkCall: (call) => logged.push(call),
  })
  const serve = serveRoutes(routes, {
    name: 'hub',
    randomBytes: (length) => Buffer.alloc(length),
    notFound: () => refuse('not_found', 'The hub has no route at this path.'),
    logFailure: (error) => failures.push(error),
  })
  const asked = { method: 'POST', url: '/link/v1/epochs', payload: { repositories: ['a'] } }
  const { statusCode, json } = await inject(serve, asked)
  expect([statusCode, json().code]).toEqual([507, 'storage_full'])
  expect(failures).toEqual([])
  expect(logged).toMatchObject([{ route: 'epochs', outcome: 'refused', code: 'storage_full' }])
})

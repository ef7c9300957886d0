/** No body of the admin API or of the link stops other requests. */

import { slowRoutes, watchWaits } from '@latchkey/testing/stalls/watch-waits'
import { expect, onTestFinished, test } from 'vitest'
import { startLinked } from '../link/ask-link.ts'
import { hostileRoutes } from './hostile-bodies.ts'

test('/healthz waits beside hostile bodies at most three times as long as beside ordinary ones', async () => {
  const world = await startLinked()
  const watch = watchWaits(world.hub.url, new URL('./hostile-bodies.ts', import.meta.url))
  onTestFinished(() => watch.stop())
  const tokenOf = (name: string) => `Bearer ${world.tokens[name]?.reveal()}`
  const calls = hostileRoutes().map((route) => ({
    ...{ route, authorization: tokenOf(route.includes('/link/') ? 'cas/link' : 'root/admin') },
    // 0 where the connection was closed before the whole body was sent.
    check: (status: number) => expect([0, 400, 413]).toContain(status),
  }))
  expect(await slowRoutes(watch, calls)).toEqual([])
})

/** No body of the admin API or of the link stops other requests. */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { readJson } from '@latchkey/admin-api/read-json'
import { flagsFor } from '@latchkey/service/source-flags'
import { cpuOf, watchTurns } from '@latchkey/testing/machine/turn-watch'
import { expect, onTestFinished, test } from 'vitest'
import { startLinked } from '../link/ask-link.ts'
import { hostileRoutes } from './hostile-bodies.ts'
import type { HostileCalls } from './hostile-client.ts'

const entry = new URL('./hostile-client.ts', import.meta.url)

test('the hub is busy at one go for no longer than with the largest ordinary body', async () => {
  const world = await startLinked()
  const client = new Worker(entry, { execArgv: [...flagsFor(entry)] })
  const turns = watchTurns()
  onTestFinished(async () => {
    turns.stop()
    await client.terminate()
  })
  const shapes = `[${Array.from({ length: 5000 }, (_, at) => `{"k${at}x":1}`)}]`
  const allowed =
    4 *
    Math.max(
      5,
      cpuOf(() => readJson(shapes)),
    )
  const slow: (readonly [string, number])[] = []
  for (const route of hostileRoutes()) {
    const as = route.includes('/link/') ? 'cas/link' : 'root/admin'
    const authorization = `Bearer ${world.tokens[as]?.reveal()}`
    let longest = Number.POSITIVE_INFINITY
    // A collection of garbage comes once, a slow route is slow each time.
    for (let tries = 0; tries < 3 && longest > allowed; tries += 1) {
      turns.longest()
      client.postMessage({ url: world.hub.url, authorization, route } satisfies HostileCalls)
      const [statuses] = await once(client, 'message')
      longest = Math.min(longest, turns.longest())
      // 0 where the connection was closed before the whole body was sent.
      expect(statuses.filter((status: number) => ![0, 400, 413].includes(status))).toEqual([])
    }
    if (longest > allowed) slow.push([route, longest])
  }
  expect(slow).toEqual([])
})

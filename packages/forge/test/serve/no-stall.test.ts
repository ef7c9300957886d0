/** No request of a forge route stops other requests. */

import { slowRoutes, type WaitWatch, watchWaits } from '@latchkey/testing/stalls/watch-waits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'
import { hostileRequests, hostileRoutes } from './hostile-bodies.ts'

test('every route of the tables has hostile bodies', () => {
  expect(hostileRoutes().filter((route) => hostileRequests(route).length === 0)).toEqual([])
})

describe.skipIf(!isGitThere)('beside hostile bodies', () => {
  let world: ForgeWorld
  let watch: WaitWatch
  beforeAll(async () => {
    world = await startForge({}, { gitBounds: { matchCpuSeconds: 1 } })
    await world.create('plain')
    await world.create('hostile')
    const readme = `---\na: [${'1,'.repeat(10_000)}]\n---\n${'&'.repeat(220_000)}`
    const { status } = await world.commit('hostile', { 'README.md': readme })
    expect(status).toBe(200)
    const description = `${'\n'.repeat(65_000)}x`
    for (let at = 0; at < 10; at += 1) {
      const value = { path: 'a', content: `${at}`, encoding: 'utf-8' }
      await world.ask('/api/models/acme/hostile/commit/main', {
        as: 'writer',
        body: [
          { key: 'header', value: { summary: 'x', description } },
          { key: 'file', value },
        ],
      })
    }
  })
  afterAll(async () => {
    await watch?.stop()
    await world?.stopped()
  })

  test('/healthz waits at most three times as long as beside ordinary ones of the route', async () => {
    watch = watchWaits(world.hub.url, new URL('./hostile-bodies.ts', import.meta.url))
    const authorization = `Bearer ${world.tokenOf('writer')}`
    const calls = hostileRoutes().map((route) => ({
      ...{ route, authorization },
      check: (status: number) => expect(status).not.toBe(500),
    }))
    expect(await slowRoutes(watch, calls)).toEqual([])
  })
})

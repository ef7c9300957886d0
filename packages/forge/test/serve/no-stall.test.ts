/** No request of a forge route stops other requests. */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { flagsFor } from '@latchkey/service/source-flags'
import { cpuOf, type TurnWatch, watchTurns } from '@latchkey/testing/machine/turn-watch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { everyRoute } from './every-route.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'
import { hostileRequests, hostileRoutes } from './hostile-bodies.ts'
import type { Batch } from './hostile-client.ts'

const entry = new URL('./hostile-client.ts', import.meta.url)

test('every route of the tables has hostile bodies', () => {
  expect([...hostileRequests('any').keys()].toSorted()).toEqual(hostileRoutes().toSorted())
})

describe.skipIf(!isGitThere)('beside hostile bodies', () => {
  let world: ForgeWorld
  let client: Worker
  let turns: TurnWatch
  beforeAll(async () => {
    world = await startForge({}, { gitBounds: { matchCpuSeconds: 1 } })
    client = new Worker(entry, { execArgv: [...flagsFor(entry)] })
    turns = watchTurns()
    await world.create('bert')
    const readme = `---\na: [${'1,'.repeat(10_000)}]\n---\n${'&'.repeat(220_000)}`
    const { status } = await world.commit('bert', { 'README.md': readme })
    expect(status).toBe(200)
    const description = `${'\n'.repeat(65_000)}x`
    for (let at = 0; at < 10; at += 1) {
      const value = { path: 'a', content: `${at}`, encoding: 'utf-8' }
      await world.ask('/api/models/acme/bert/commit/main', {
        as: 'writer',
        body: [
          { key: 'header', value: { summary: 'x', description } },
          { key: 'file', value },
        ],
      })
    }
  })
  afterAll(async () => {
    turns?.stop()
    await client?.terminate()
    await world?.stopped()
  })

  const longestWith = async (asked: Batch['asked']): Promise<number> => {
    const authorization = `Bearer ${world.tokenOf('writer')}`
    turns.longest()
    client.postMessage({ url: world.hub.url, authorization, asked } satisfies Batch)
    const [statuses] = await once(client, 'message')
    // Git itself ends with an error at a body that is none of its own.
    const isOfGit = 'route' in asked ? asked.route.includes('git-upload-pack') : true
    if (!isOfGit) expect(statuses).not.toContain(500)
    return turns.longest()
  }

  test('the hub is busy at one go for no longer than with ordinary ones', async () => {
    const ordinary = everyRoute({ name: 'bert' }).flatMap(({ path, asking: { method, body } }) =>
      method === 'DELETE'
        ? []
        : [{ method: method ?? 'GET', path, type: 'application/json', body: JSON.stringify(body) }],
    )
    // Once to warm up.
    await longestWith(ordinary)
    const usual = await longestWith(ordinary)
    // The largest body that is parsed whole.
    const shapes = `[${Array.from({ length: 4000 }, (_, at) => `{"k${at}x":1}`)}]`
    const allowed =
      3 *
      Math.max(
        usual,
        cpuOf(() => JSON.parse(shapes)),
      )
    const slow: (readonly [string, number])[] = []
    for (const route of hostileRoutes()) {
      let longest = Number.POSITIVE_INFINITY
      // A collection of garbage comes once, a slow route is slow each time.
      for (let tries = 0; tries < 3 && longest > allowed; tries += 1) {
        longest = Math.min(longest, await longestWith({ route, name: 'bert' }))
      }
      if (longest > allowed) slow.push([route, longest])
    }
    expect(slow).toEqual([])
  })
})

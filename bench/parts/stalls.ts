/** How long does `/healthz` wait beside bodies that are slow to read? One hostile client, one that asks for the health. */

import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { flagsFor } from '@latchkey/service/source-flags'
import { startForge } from '../../packages/forge/test/serve/forge-world.ts'
import { hostileRoutes } from '../../packages/forge/test/serve/hostile-bodies.ts'
import type { Batch } from '../../packages/forge/test/serve/hostile-client.ts'
import { measuredOf } from '../measure/figure.ts'
import type { Part } from '../part.ts'

const entry = new URL('../../packages/forge/test/serve/hostile-client.ts', import.meta.url)

export const stalls: Part = {
  name: 'stalls',
  async figures({ rounds = 3 }) {
    const world = await startForge()
    const client = new Worker(entry, { execArgv: [...flagsFor(entry)] })
    try {
      await world.create('bert')
      const { url } = world.hub
      const authorization = `Bearer ${world.tokenOf('writer')}`
      const [alone, beside]: [number[], number[]] = [[], []]
      // Once more than counts: the first round warms up.
      for (let round = 0; round <= rounds; round += 1) {
        const longest = { alone: 0, beside: 0 }
        for (const route of hostileRoutes()) {
          longest.alone = Math.max(longest.alone, await longestWait(url, delay(100)))
          const batch: Batch = { url, authorization, asked: { route, name: 'bert' } }
          client.postMessage(batch)
          const wait = await longestWait(url, once(client, 'message'))
          longest.beside = Math.max(longest.beside, wait)
        }
        if (round > 0) alone.push(longest.alone)
        if (round > 0) beside.push(longest.beside)
      }
      const unit = 'ms'
      return [
        { figure: 'longest wait of /healthz', anchor: '', result: measuredOf(alone, { unit }) },
        {
          ...{ figure: 'the same beside hostile bodies', anchor: '', goal: { atMost: 20 } },
          result: measuredOf(beside, { unit }),
        },
      ]
    } finally {
      await client.terminate()
      await world.stopped()
    }
  },
}

/** Asks for the health again and again until something else is done. */
async function longestWait(url: string, done: Promise<unknown>): Promise<number> {
  let [isDone, longest] = [false, 0]
  const end = () => {
    isDone = true
  }
  void done.then(end, end)
  while (!isDone) {
    const began = performance.now()
    await (await fetch(`${url}/healthz`)).arrayBuffer()
    longest = Math.max(longest, performance.now() - began)
  }
  return longest
}

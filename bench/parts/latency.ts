/** How long do the slowest of a hundred requests take, at 70 % of what the server can do? */

import { connections, type Side, startBareSide, startHubSide, warmUpAll } from '../issue/sides.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'
import { measuredOf } from '../measure/figure.ts'
import { load } from '../measure/load.ts'
import { openLoop } from '../measure/open-loop.ts'
import { quantile } from '../measure/statistics.ts'
import type { Part } from '../part.ts'

const repositories = 100_000
const shareOfCapacity = 0.7
const fewestRounds = 7

export const latency: Part = {
  name: 'latency',
  async figures({ rounds = 9, roundMs }) {
    const directory = await sqliteDirectory(repositories)
    try {
      const hub = await startHubSide(directory, 'hot')
      const bare = await startBareSide(directory)
      await warmUpAll([bare, hub])
      const p99 = { hub: [] as number[], bare: [] as number[] }
      for (let round = 0; round < Math.max(rounds, fewestRounds); round += 1) {
        p99.hub.push(await slowest(hub, roundMs))
        p99.bare.push(await slowest(bare, roundMs))
      }
      const [own, anchor] = [Math.min(...p99.hub), Math.min(...p99.bare)]
      const ratios = p99.hub.map((each, round) => each / (p99.bare[round] ?? 0))
      const result = measuredOf(ratios, { note: 'best of the rounds, beside the anchor’s best' })
      return [
        {
          figure: `p99 at ${shareOfCapacity * 100} % of its capacity`,
          anchor: 'bare-es at the same of its own',
          result: { ...result, value: own / anchor },
          goal: { atMost: 1.5 },
          details: { 'p99 ms': own, 'bare p99 ms': anchor },
        },
      ]
    } finally {
      await directory.close()
    }
  },
}

/** The capacity is measured just before: it changes with whatever else the machine does. */
async function slowest(side: Side, milliseconds: number): Promise<number> {
  const started = performance.now()
  const { requests } = await load(side, connections, milliseconds)
  const capacity = (requests * 1000) / (performance.now() - started)
  const perSecond = capacity * shareOfCapacity
  const latencies = await openLoop(side, { perSecond, milliseconds: milliseconds * 2, connections })
  const p99 = quantile(latencies, 0.99)
  if (p99 === undefined) throw new Error(`${side.name}: no request was due`)
  return p99
}

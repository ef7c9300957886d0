/** How long do requests take, by load? The median and the slowest of a hundred, from a tenth of what the server can do to nearly all. */

import { connections, type Side, startBareSide, startHubSide, warmUpAll } from '../issue/sides.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { load } from '../measure/load.ts'
import { openLoop } from '../measure/open-loop.ts'
import { quantile } from '../measure/statistics.ts'
import type { Part } from '../part.ts'

const repositories = 100_000
/** In percent of the capacity. */
const loads = [10, 30, 50, 70, 80, 90, 95]
/** The load with a goal is measured in all rounds. */
const judged = 70
const minRounds = 7
const roundsOfOthers = 3

interface Latency {
  readonly p50: number
  readonly p99: number
}

type Latencies = Readonly<Record<'hub' | 'bare', Latency[]>>

export const latency: Part = {
  name: 'latency',
  async figures({ rounds = minRounds, roundMs }) {
    const directory = await sqliteDirectory(repositories)
    try {
      const hub = await startHubSide(directory, 'hot')
      const bare = await startBareSide(directory)
      await warmUpAll([bare, hub], roundMs)
      const measured = new Map(loads.map((percent): [number, Latencies] => [percent, none()]))
      for (let round = 0; round < Math.max(rounds, minRounds); round += 1) {
        const now = loads.filter((percent) => percent === judged || round < roundsOfOthers)
        for (const [percent, took] of await roundAt(hub, now, roundMs)) {
          measured.get(percent)?.hub.push(took)
        }
        for (const [percent, took] of await roundAt(bare, now, roundMs)) {
          measured.get(percent)?.bare.push(took)
        }
      }
      return [...measured].map(([percent, both]) => figureOf(percent, both))
    } finally {
      await directory.close()
    }
  },
}

function none(): Latencies {
  return { hub: [], bare: [] }
}

function figureOf(percent: number, { hub, bare }: Latencies): Figure {
  const [own, anchor] = [best(hub), best(bare)]
  const ratios = hub.map(({ p99 }, round) => p99 / (bare[round]?.p99 ?? 0))
  const result = measuredOf(ratios, { note: 'best of the rounds, beside the anchor’s best' })
  return {
    figure: `p99 at ${percent} % of its capacity`,
    anchor: 'bare-es at the same of its own',
    result: { ...result, value: own.p99 / anchor.p99 },
    ...(percent === judged && { goal: { atMost: 1.5 } }),
    details: {
      ...{ 'p99 ms': own.p99, 'p50 ms': own.p50 },
      ...{ 'bare p99 ms': anchor.p99, 'bare p50 ms': anchor.p50 },
    },
    points: [
      { line: 'hub, p99', x: percent, y: own.p99 },
      { line: 'bare signing, p99', x: percent, y: anchor.p99 },
      { line: 'hub, p50', x: percent, y: own.p50 },
      { line: 'bare signing, p50', x: percent, y: anchor.p50 },
    ],
  }
}

/** Other load can only add to it. */
function best(rounds: readonly Latency[]): Latency {
  const least = (of: keyof Latency) => Math.min(...rounds.map((round) => round[of]))
  return { p50: least('p50'), p99: least('p99') }
}

/** The capacity is measured just before: it changes with whatever else the machine does. */
async function roundAt(
  side: Side,
  percents: readonly number[],
  milliseconds: number,
): Promise<readonly (readonly [percent: number, Latency])[]> {
  const started = performance.now()
  const { requests } = await load(side, connections, milliseconds)
  const capacity = (requests * 1000) / (performance.now() - started)
  const took: [number, Latency][] = []
  for (const percent of percents) {
    const perSecond = (capacity * percent) / 100
    const rate = { perSecond, milliseconds: milliseconds * 1.5, connections }
    took.push([percent, latencyOf(side, await openLoop(side, rate))])
  }
  return took
}

function latencyOf({ name }: Side, milliseconds: readonly number[]): Latency {
  const [p50, p99] = [quantile(milliseconds, 0.5), quantile(milliseconds, 0.99)]
  if (p50 === undefined || p99 === undefined) throw new Error(`${name}: no request was due`)
  return { p50, p99 }
}

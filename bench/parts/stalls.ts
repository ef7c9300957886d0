/** How long does `/healthz` wait beside requests that are slow to read? A thread of its own asks for the health. */

import { type RouteCall, type WaitWatch, watchWaits } from '@latchkey/testing/stalls/watch-waits'
import { startForge } from '../../packages/forge/test/serve/forge-world.ts'
import { hostileRoutes } from '../../packages/forge/test/serve/hostile-bodies.ts'
import type { Measured } from '../measure/figure.ts'
import { quantile } from '../measure/statistics.ts'
import type { Part } from '../part.ts'

const bodies = new URL('../../packages/forge/test/serve/hostile-bodies.ts', import.meta.url)
const goalMs = 20

export const stalls: Part = {
  name: 'stalls',
  async figures({ rounds = 5 }) {
    const world = await startForge()
    const watch = watchWaits(world.hub.url, bodies)
    try {
      await world.create('plain')
      await world.create('hostile')
      const authorization = `Bearer ${world.tokenOf('writer')}`
      const calls = hostileRoutes().map((route) => ({ route, authorization }))
      const [ordinary, hostile]: [Run[], Run[]] = [[], []]
      // Once more than counts: the first round warms up.
      for (let round = 0; round <= rounds; round += 1) {
        const [one, other] = [
          await runOf(watch, calls, 'ordinary'),
          await runOf(watch, calls, 'hostile'),
        ]
        if (round > 0) ordinary.push(one)
        if (round > 0) hostile.push(other)
      }
      const usual = resultOf(ordinary)
      // Where the machine itself takes longer, it is the limit.
      const atMost = Math.max(goalMs, Math.ceil(usual.value))
      return [
        {
          ...{ figure: 'longest wait of /healthz beside ordinary requests', anchor: '' },
          ...{ result: usual, details: detailsOf(ordinary) },
        },
        {
          ...{ figure: 'longest wait of /healthz beside hostile bodies', anchor: '' },
          ...{ result: resultOf(hostile), goal: { atMost }, details: detailsOf(hostile) },
        },
      ]
    } finally {
      await watch.stop()
      await world.stopped()
    }
  },
}

type Run = readonly { readonly route: string; readonly waits: readonly number[] }[]

async function runOf(
  watch: WaitWatch,
  calls: readonly RouteCall[],
  kind: 'ordinary' | 'hostile',
): Promise<Run> {
  const run: Run[number][] = []
  for (const call of calls) {
    for (let at = 0; ; at += 1) {
      const found = await watch.beside(kind, call, at)
      if (found === undefined) break
      run.push({ route: `${call.route} ${at}`, waits: found.waits })
    }
  }
  return run
}

function longestOf(run: Run): number {
  return Math.max(...run.map(({ waits }) => Math.max(...waits)))
}

/** Each request in its best round: other load disturbs one round, a stall is in all of them. */
function minWaits([first = [], ...others]: readonly Run[]): readonly [string, number][] {
  return first.map(({ route, waits }, at) => [
    route,
    Math.min(Math.max(...waits), ...others.map((run) => Math.max(...(run[at]?.waits ?? [])))),
  ])
}

function resultOf(runs: readonly Run[]): Measured {
  const value = Math.max(...minWaits(runs).map(([, wait]) => wait))
  const high = Math.max(...runs.map(longestOf))
  return { value, low: value, high, rounds: runs.length, of: runs.length, unit: 'ms' }
}

function detailsOf(runs: readonly Run[]): Readonly<Record<string, number | undefined>> {
  const all = runs.flatMap((run) => run.flatMap(({ waits }) => waits))
  const [slowest] = minWaits(runs).toSorted(([, one], [, other]) => other - one)
  return { 'p99.9, ms': quantile(all, 0.999), ...(slowest && { [slowest[0]]: slowest[1] }) }
}

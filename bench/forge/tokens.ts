/** Token requests for a CPU second of the hub. */

import { type Figure, measuredOf } from '../measure/figure.ts'
import { getRequest, load } from '../measure/load.ts'
import { cpuSecondsOf, create, type Side } from './side.ts'

export async function benchTokens(
  sides: readonly Side[],
  { rounds, roundMs }: { readonly rounds: number; readonly roundMs: number },
): Promise<readonly Figure[]> {
  const targets = new Map<Side, string>()
  for (const side of sides) targets.set(side, await create(side, 'tokens'))
  const rates = new Map(sides.map((side) => [side, [] as number[]]))
  const perCpu = new Map(sides.map((side) => [side, [] as number[]]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const side of sides) {
      const { hostname, host, port } = new URL(side.url)
      const path = `${targets.get(side)}/xet-read-token/main`
      const headers = [`Host: ${host}`, `Authorization: Bearer ${side.token}`]
      const request = () => getRequest(path, headers)
      const before = cpuSecondsOf(side)
      const { requests, failed } = await load(
        { port: Number(port), host: hostname, request },
        16,
        roundMs,
      )
      if (failed > 0)
        throw new Error(
          `${side.name} has refused ${failed} token requests; it must be started without a limit on them`,
        )
      const after = cpuSecondsOf(side)
      // The first one warms up.
      if (round === 0) continue
      rates.get(side)?.push((requests * 1000) / roundMs)
      if (before !== undefined && after !== undefined)
        perCpu.get(side)?.push(requests / (after - before))
    }
  }
  return sides.map((side) => ({
    figure: 'token requests for a CPU second of the hub',
    anchor: side.name,
    result: measuredOf(perCpu.get(side) ?? [], { unit: '/s' }),
    details: {
      'requests a second': rates.get(side)?.toSorted((a, b) => a - b)[Math.floor(rounds / 2)],
    },
  }))
}

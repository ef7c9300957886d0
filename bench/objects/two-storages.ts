/** Two storages on one catalogue and bucket beside one, where every request to the store takes a while. */

import { type Figure, measuredOf } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'
import { sendXorb } from '../storage/send-xorb.ts'
import { measure, type Side } from '../storage/sides.ts'
import { type Kind, xorbMaker } from '../storage/xorbs.ts'

/** Of one client, which is bound to one storage. */
const connections = 8
const turns = 4
const kind: Kind = { megabytes: 1, packing: 'incompressible' }

export async function benchTwo(
  sides: readonly [Side, Side],
  delayMs: number,
  rounds: number,
): Promise<readonly Figure[]> {
  const make = xorbMaker(kind)
  /** Made before the time runs: making them takes longer than sending them. */
  const xorbsOfTurns = () =>
    Array.from({ length: turns }, () => Array.from({ length: connections }, make))
  const load = async (side: Side, xorbs: ReturnType<typeof xorbsOfTurns>) => {
    for (const turn of xorbs) await Promise.all(turn.map((xorb) => sendXorb(side, xorb)))
  }
  const megabytes = connections * turns * kind.megabytes
  /** All of them at once; their CPU time is added up. */
  const visit = async (some: readonly Side[]) => {
    const loads = some.map((side) => ({ side, xorbs: xorbsOfTurns() }))
    const started = performance.now()
    const all = await Promise.all(
      loads.map(({ side, xorbs }) => measure(side, megabytes, () => load(side, xorbs))),
    )
    const seconds = (performance.now() - started) / 1000
    const cpu = all.reduce((sum, { cpuMsPerMegabyte }) => sum + cpuMsPerMegabyte, 0) / all.length
    return { megabytesPerSecond: (megabytes * some.length) / seconds, cpuMsPerMegabyte: cpu }
  }
  const [speeds, costs]: [number[], number[]] = [[], []]
  const alone: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    const one = await visit([sides[Math.abs(round) % 2 === 0 ? 0 : 1]])
    const two = await visit(sides)
    if (round < 0) continue
    speeds.push(two.megabytesPerSecond / one.megabytesPerSecond)
    costs.push(two.cpuMsPerMegabyte / one.cpuMsPerMegabyte)
    alone.push(one.megabytesPerSecond)
  }
  const [figure, anchor] = [`two storages, ${delayMs} ms per request to the store`, 'one storage']
  return [
    {
      ...{ figure, anchor, result: measuredOf(speeds), goal: { atLeast: 1.7 } },
      details: { 'MB/s of one': median(alone) },
    },
    { figure: `${figure}: CPU per byte`, anchor, result: measuredOf(costs), goal: { atMost: 1.1 } },
  ]
}

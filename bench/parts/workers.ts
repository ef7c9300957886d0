/** What do two workers bring? Twice the requests where each has a core; where they share one, no more CPU time for each. */

import { availableParallelism } from 'node:os'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { type CommandData, commandData, startCommandHub } from '../issue/command-hub.ts'
import { connections, type Side, visitSide } from '../issue/sides.ts'
import { pin } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { getRequest, load } from '../measure/load.ts'
import { cpuRatios, detailsOf, inRounds } from '../measure/rounds.ts'
import type { Part } from '../part.ts'

/** The load generator needs one of its own. */
const hasThirdCore = availableParallelism() >= 3
const serverCores = hasThirdCore ? '0,1' : '0'
const generatorCore = hasThirdCore ? '2' : '1'
const warmUpMs = 5000

export const workers: Part = {
  name: 'workers',
  async figures({ rounds = 11, roundMs }) {
    pin(process.pid, generatorCore)
    const data = await commandData(1000)
    try {
      const [one, two] = [await startWorkers(data, 1), await startWorkers(data, 2)]
      // Each worker has its own code to compile.
      await load(one, connections, warmUpMs)
      await load(two, connections, warmUpMs * 2)
      const measured = await inRounds([one, two], (side) => visitSide(side, roundMs), rounds)
      const [first, second] = [measured.get(one) ?? [], measured.get(two) ?? []]
      const details = detailsOf(second, first)
      return [hasThirdCore ? faster(second, first, details) : asCheap(second, first, details)]
    } finally {
      data.remove()
    }
  },
}

type Rounds = Parameters<typeof cpuRatios>[0]

function faster(two: Rounds, one: Rounds, details: Figure['details'] = {}): Figure {
  const ratios = two.map(({ perSecond }, at) => perSecond / (one[at]?.perSecond ?? 0))
  const result = measuredOf(ratios, { note: 'the load generator on a third core' })
  return { figure: '2 workers', anchor: '1 worker', result, goal: { atLeast: 1.8 }, details }
}

function asCheap(two: Rounds, one: Rounds, details: Figure['details'] = {}): Figure {
  const result = measuredOf(cpuRatios(one, two), { note: 'no third core for the load generator' })
  const figure = 'CPU per request, 2 workers on a core'
  return { figure, anchor: '1 worker', result, goal: { atMost: 1.1 }, details }
}

async function startWorkers(
  { data, authorization, paths }: CommandData,
  count: number,
): Promise<Side> {
  const { pid, port } = await startCommandHub(data, '--workers', String(count))
  const pids = [pid, ...childrenOf(pid)]
  for (const each of pids) pin(each, serverCores)
  let asked = 0
  const request = () => {
    asked = (asked + 1) % paths.length
    return getRequest(paths[asked] ?? '/', ['Host: 127.0.0.1', `Authorization: ${authorization}`])
  }
  return { name: `${count} workers`, pids, port, request }
}

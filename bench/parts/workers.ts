/** What do two workers bring? Twice the requests where each has a core; where they share one, no more CPU time for each. */

import { availableParallelism } from 'node:os'
import { type CommandData, commandData } from '../issue/command-hub.ts'
import { startApart, startWorkers, visitWorkers, type WorkerSide } from '../issue/worker-sides.ts'
import { pin } from '../machine.ts'
import { watchProcesses } from '../measure/by-process.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { cpuRatios, detailsOf, inRounds, type Round } from '../measure/rounds.ts'
import type { Part } from '../part.ts'

/** The load generator needs one of its own. */
const hasThirdCore = availableParallelism() >= 3
const serverCores = hasThirdCore ? '0,1' : '0'
const generatorCore = hasThirdCore ? '2' : '1'
/** Of each side in turn, because a hub that rests gives its memory back. After fewer, V8 still compiles. */
const warmUpRounds = 12
/** A round is so many visits of each side: a shared machine changes its speed within a second. */
const visitsOfRound = 5

export const workers: Part = {
  name: 'workers',
  async figures({ rounds = 15, roundMs }) {
    pin(process.pid, generatorCore)
    const data = await commandData(1000)
    try {
      return await figuresOf(data, rounds, roundMs / visitsOfRound)
    } finally {
      data.remove()
    }
  },
}

async function figuresOf(data: CommandData, rounds: number, visitMs: number): Promise<Figure[]> {
  const one = await startWorkers(data, 1, serverCores)
  const two = await startWorkers(data, 2, serverCores)
  const apart = await startApart(data, serverCores)
  for (let turn = 0; turn < warmUpRounds * visitsOfRound; turn += 1) {
    for (const side of [one, two, apart]) await side.run(visitMs)
  }
  const visit = (side: WorkerSide) => visitWorkers(side, visitMs)
  const microsOf = new Map([one, two, apart].map((side) => [side, watchProcesses(side)]))
  const measured = await inRounds([one, two, apart], visit, rounds * visitsOfRound)
  const visitsOf = (side: WorkerSide) => measured.get(side) ?? []
  const byProcess = (side: WorkerSide) => {
    const requests = visitsOf(side).reduce((sum, each) => sum + each.requests, 0)
    const micros = Object.entries(microsOf.get(side)?.(requests) ?? {})
    return Object.fromEntries(micros.map(([name, value]) => [`${side.name}: ${name}`, value]))
  }
  const compare = (own: WorkerSide, anchor: WorkerSide): Figure => {
    const [visits, anchors] = [visitsOf(own), visitsOf(anchor)]
    return {
      figure: hasThirdCore ? own.name : `CPU per request, ${own.name} on a core`,
      anchor: anchor.name,
      result: hasThirdCore ? faster(visits, anchors) : asCheap(visits, anchors),
      details: { ...detailsOf(visits, anchors), ...byProcess(own), ...byProcess(anchor) },
    }
  }
  return [
    { ...compare(two, one), goal: hasThirdCore ? { atLeast: 1.8 } : { atMost: 1.1 } },
    // The rest tells what two processes cost each other, and what the supervisor adds.
    compare(apart, one),
    compare(two, apart),
  ]
}

function faster(own: readonly Round[], anchors: readonly Round[]): Figure['result'] {
  const ratios = own.map(({ perSecond }, at) => perSecond / (anchors[at]?.perSecond ?? 0))
  return measuredOf(ratios, { note: 'the load generator on a third core' })
}

function asCheap(own: readonly Round[], anchors: readonly Round[]): Figure['result'] {
  return measuredOf(cpuRatios(anchors, own), { note: 'no third core for the load generator' })
}

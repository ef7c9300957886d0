/** Finds the run that has all chunks of a term, in few steps: how many runs there are is up to the storage. */

import type { Hash } from '../format/hash.ts'
import { Misdelivered } from '../format/misdelivered.ts'
import type { Term } from '../format/term.ts'
import type { Reconstruction, Run } from './read-reconstruction.ts'

export type FindRun = (term: Pick<Term, 'xorb' | 'start' | 'end'>) => Run

export function runFinder({ runs }: Pick<Reconstruction, 'runs'>): FindRun {
  const ordered = new Map<Hash, readonly Run[]>()
  return ({ xorb, start, end }) => {
    const own = ordered.get(xorb) ?? inOrder(runs.get(xorb) ?? [])
    ordered.set(xorb, own)
    // Of those that begin early enough, the last one reaches furthest.
    const run = own[countUntil(own, start) - 1]
    if (run !== undefined && end <= run.end) return run
    throw new Misdelivered(`the storage names no URL for the chunks ${start} to ${end} of ${xorb}`)
  }
}

/** By where they begin, and so by where they end: what another run has all of is left out. */
function inOrder(runs: readonly Run[]): readonly Run[] {
  const ordered: Run[] = []
  for (const run of [...runs].sort(
    (one, other) => one.start - other.start || other.end - one.end,
  )) {
    if (run.end > (ordered.at(-1)?.end ?? 0)) ordered.push(run)
  }
  return ordered
}

/** How many of them begin at this chunk or before it. */
function countUntil(ordered: readonly Run[], chunk: number): number {
  let [least, most] = [0, ordered.length]
  while (least < most) {
    const middle = (least + most) >>> 1
    if ((ordered[middle]?.start ?? 0) <= chunk) least = middle + 1
    else most = middle
  }
  return least
}

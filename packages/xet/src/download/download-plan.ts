/** Which runs a file is fetched in, and where in the file the terms of each of them go. */

import { IntegrityError } from '../format/format-error.ts'
import type { Hash, Term } from '../format/hash.ts'
import type { Reconstruction, Run } from './read-reconstruction.ts'

interface PlannedTerm extends Term {
  /** Where it begins, in bytes. */
  readonly position: number
}

export interface PlannedRun {
  /** The same for the same bytes of the same xorb, in every answer of the storage. */
  readonly name: string
  readonly run: Run
  /** By their first chunk. */
  readonly terms: readonly PlannedTerm[]
}

export interface Plan {
  readonly bytes: number
  readonly terms: readonly { readonly term: PlannedTerm; readonly runName: string }[]
  /** Each once, in the order in which the file needs them first. */
  readonly runs: readonly PlannedRun[]
}

export function planDownload(reconstruction: Reconstruction): Plan {
  const runs = new Map<string, { run: Run; terms: PlannedTerm[] }>()
  const runFor = runFinder(reconstruction)
  let position = 0
  const terms = reconstruction.terms.map((one) => {
    const term: PlannedTerm = { ...one, position }
    const run = runFor(one)
    const runName = nameOf(one, run)
    const planned = runs.get(runName) ?? { run, terms: [] }
    planned.terms.push(term)
    runs.set(runName, planned)
    position += one.unpackedBytes
    return { term, runName }
  })
  if (!Number.isSafeInteger(position)) {
    throw new IntegrityError('the storage tells of a file that is longer than any can be')
  }
  return { bytes: position, terms, runs: Array.from(runs, inOrder) }
}

/** In bytes. */
export function maxRunBytes({ runs }: Plan): number {
  return runs.reduce((most, { run }) => Math.max(most, run.bytes.end + 1 - run.bytes.start), 0)
}

export function nameOf({ xorb }: Pick<Term, 'xorb'>, { start, end, bytes }: Run): string {
  return `${xorb} ${start} ${end} ${bytes.start} ${bytes.end}`
}

function inOrder([name, { run, terms }]: [string, { run: Run; terms: PlannedTerm[] }]): PlannedRun {
  return { name, run, terms: terms.sort((one, other) => one.start - other.start) }
}

/** Finds the run that has all chunks of a term, in few steps: how many runs there are is up to the storage. */
type FindRun = (term: Pick<Term, 'xorb' | 'start' | 'end'>) => Run

function runFinder({ runs }: Pick<Reconstruction, 'runs'>): FindRun {
  const ordered = new Map<Hash, readonly Run[]>()
  return ({ xorb, start, end }) => {
    const own = ordered.get(xorb) ?? runsInOrder(runs.get(xorb) ?? [])
    ordered.set(xorb, own)
    // Of those that begin early enough, the last one reaches furthest.
    const run = own[countUntil(own, start) - 1]
    if (run !== undefined && end <= run.end) return run
    throw new IntegrityError(
      `the storage names no URL for the chunks ${start} to ${end} of ${xorb}`,
    )
  }
}

/** By where they begin, and so by where they end: what another run has all of is left out. */
function runsInOrder(runs: readonly Run[]): readonly Run[] {
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

/** Which runs a file is fetched in, and where in the file the terms of each of them go. */

import { Misdelivered } from '../format/misdelivered.ts'
import type { Term } from '../format/term.ts'
import { runFinder } from './find-run.ts'
import type { Reconstruction, Run } from './read-reconstruction.ts'

export interface PlannedTerm extends Term {
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
    throw new Misdelivered('the storage tells of a file that is longer than any can be')
  }
  return { bytes: position, terms, runs: Array.from(runs, inOrder) }
}

/** In bytes. */
export function longestRunOf({ runs }: Plan): number {
  return runs.reduce((most, { run }) => Math.max(most, run.bytes.end + 1 - run.bytes.start), 0)
}

export function nameOf({ xorb }: Pick<Term, 'xorb'>, { start, end, bytes }: Run): string {
  return `${xorb} ${start} ${end} ${bytes.start} ${bytes.end}`
}

function inOrder([name, { run, terms }]: [string, { run: Run; terms: PlannedTerm[] }]): PlannedRun {
  return { name, run, terms: terms.sort((one, other) => one.start - other.start) }
}

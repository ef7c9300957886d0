/** Which chunks a range of a file is made of, and which bytes of which xorbs hold them. */

import type { ChunkTable, Hash, Term } from '@latchkey/xet/format'
import type { Terms } from '../catalog/terms.ts'
import type { RequestedRange } from '../request/byte-range.ts'

export interface FetchPlan {
  /** How many bytes of the first term come before the range. */
  readonly offsetIntoFirst: number
  readonly terms: readonly Term[]
  /** For every xorb the runs of chunks to fetch: in order, and apart from each other. */
  readonly fetches: ReadonlyMap<Hash, readonly ChunkRun[]>
}

/** Chunks `start` to before `end`. */
export interface ChunkRun {
  readonly start: number
  readonly end: number
}

export type TableOf = (xorb: Hash) => Promise<ChunkTable>

/** Only the xorbs that are needed are opened. */
export async function planFetches(
  touched: readonly TouchedXorb[],
  open: (xorbs: readonly Hash[]) => Promise<TableOf>,
): Promise<{ readonly plan: FetchPlan; readonly tableOf: TableOf }> {
  const tableOf = await open([...new Set(touched.map(({ term }) => term.xorb))])
  const trimmed: Trimmed[] = []
  for (const one of touched) trimmed.push(await trim(one, tableOf))
  const terms = trimmed.map(({ term }) => term)
  const offsetIntoFirst = trimmed[0]?.skipped ?? 0
  return { plan: { offsetIntoFirst, terms, fetches: runsOf(terms) }, tableOf }
}

/** A term, and the first and last of its bytes that are wanted. */
export interface TouchedXorb {
  readonly term: Term
  readonly first: number
  readonly last: number
}

interface Trimmed {
  readonly term: Term
  /** How many of its bytes are not wanted, though their chunk is. */
  readonly skipped: number
}

/** `range` begins within the file; `most` and one more, when there are more. */
export function touchedBy(
  terms: Terms,
  range: RequestedRange | undefined,
  most: number,
): readonly TouchedXorb[] {
  return [...eachTouched(terms, range).take(most + 1)]
}

/** One after the other: a file may have more terms than the memory should hold at once. */
export function* eachTouched(
  terms: Terms,
  range: RequestedRange | undefined,
): Generator<TouchedXorb> {
  const { start, end = Number.MAX_SAFE_INTEGER } = range ?? { start: 0 }
  let position = 0
  for (let index = 0; index < terms.count; index += 1) {
    const [first, last] = [start - position, end - position]
    const bytes = terms.unpackedBytes(index)
    position += bytes
    if (last < 0) return
    if (first < bytes) yield { term: terms.at(index), first, last }
  }
}

/** Leaves out the chunks before the first and after the last byte that is wanted. */
async function trim({ term, first, last }: TouchedXorb, tableOf: TableOf): Promise<Trimmed> {
  if (first <= 0 && last >= term.unpackedBytes - 1) return { term, skipped: 0 }
  const table = await tableOf(term.xorb)
  let { start } = term
  let before = 0
  while (before + table.unpackedLength(start) <= first) {
    before += table.unpackedLength(start)
    start += 1
  }
  let end = start
  let unpackedBytes = 0
  while (end < term.end && before + unpackedBytes <= last) {
    unpackedBytes += table.unpackedLength(end)
    end += 1
  }
  return {
    term: { xorb: term.xorb, start, end, unpackedBytes },
    skipped: Math.max(0, first - before),
  }
}

function runsOf(terms: readonly Term[]): ReadonlyMap<Hash, readonly ChunkRun[]> {
  const byXorb = Map.groupBy(terms, ({ xorb }) => xorb)
  return new Map(Array.from(byXorb, ([xorb, own]) => [xorb, joined(own)]))
}

/** Runs that touch or overlap become one. */
function joined(runs: readonly ChunkRun[]): readonly ChunkRun[] {
  const result: { start: number; end: number }[] = []
  for (const { start, end } of runs.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else result.push({ start, end })
  }
  return result
}

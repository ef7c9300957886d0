/** Finds the row of a table that serves a request. Paths are compared raw: the table decodes nothing. */

import { isRefusal, pathOf, type Refusal, refuse } from '@latchkey/protocol'

export interface RouteRow {
  /** GET serves HEAD too; ANY leaves the methods to the handler. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY'
  /**
   * `{name}` stands for one segment that is not empty, `{name...}` at the end for any number of them, also for none.
   * Where several paths match, the one that stands first in the table counts.
   */
  readonly path: string
  /** Decides by the query: a row that it denies is skipped. */
  readonly when?: (target: string) => boolean
  /** The sentence for a method that no row of this path has. */
  readonly wrongMethod?: (allow: string, method: string) => string
}

export type RawValues = Readonly<Record<string, string>>

/**
 * Reads what stands raw in place of a name; the segments of `{name...}` come with their slashes. Undefined: the path is
 * none of this row. A refusal counts only once the method fits. A name without a reader keeps its raw text.
 */
export type SegmentReaders<Values> = {
  readonly [Name in keyof Values]?: (raw: string) => Values[Name] | Refusal | undefined
}

export interface FoundRoute<Row, Values> {
  readonly row: Row
  /** Has the names in the path of the row, and no others. */
  readonly values: Values
}

/** Gives undefined for a path without a row, and a refusal for a path without the method. */
export type FindRoute<Row, Values = RawValues> = (
  method: string,
  target: string,
) => FoundRoute<Row, Values> | Refusal | undefined

interface Name {
  readonly name: string
  readonly at: number
  readonly isRest: boolean
}

interface Entry<Row> {
  readonly row: Row
  readonly names: readonly Name[]
}

/** The rows whose paths differ in names only. */
interface Leaf<Row> {
  readonly order: number
  readonly entries: Entry<Row>[]
}

interface Branch<Row> {
  readonly words: Map<string, Branch<Row>>
  named?: Branch<Row>
  end?: Leaf<Row>
  rest?: Leaf<Row>
}

export function routeTable<Row extends RouteRow, Values = RawValues>(
  rows: readonly Row[],
  readers: SegmentReaders<Values> = {},
): FindRoute<Row, Values> {
  const root: Branch<Row> = { words: new Map() }
  for (const [order, row] of rows.entries()) addRow(root, row, order)
  return (method, target) => {
    const path = pathOf(target)
    if (!path.startsWith('/')) return undefined
    const segments = path.slice(1).split('/')
    const leaves = leavesAt(root, segments)
    if (leaves.length > 1) leaves.sort((one, other) => one.order - other.order)
    const read = ({ names }: Entry<Row>) => readValues(names, segments, readers)
    for (const { entries } of leaves) {
      for (const entry of entries) {
        const values = serves(entry.row, method, target) ? read(entry) : undefined
        if (values !== undefined) return isRefusal(values) ? values : { row: entry.row, values }
      }
      const here = entries.filter((entry) => read(entry) !== undefined)
      if (here.length > 0) return notAllowed(here, method)
    }
    return undefined
  }
}

function addRow<Row extends RouteRow>(root: Branch<Row>, row: Row, order: number): void {
  const names: Name[] = []
  let branch = root
  for (const [at, segment] of row.path.slice(1).split('/').entries()) {
    const [, name, dots] = /^\{(\w+)(\.{3})?\}$/.exec(segment) ?? []
    if (name !== undefined) names.push({ name, at, isRest: dots !== undefined })
    if (dots !== undefined) {
      branch.rest ??= { order, entries: [] }
      branch.rest.entries.push({ row, names })
      return
    }
    const next = (name === undefined ? branch.words.get(segment) : branch.named) ?? {
      words: new Map(),
    }
    if (name === undefined) branch.words.set(segment, next)
    else branch.named = next
    branch = next
  }
  branch.end ??= { order, entries: [] }
  branch.end.entries.push({ row, names })
}

function leavesAt<Row>(
  branch: Branch<Row>,
  segments: readonly string[],
  at = 0,
  found: Leaf<Row>[] = [],
): Leaf<Row>[] {
  if (branch.rest !== undefined) found.push(branch.rest)
  const segment = segments[at]
  if (segment === undefined) {
    if (branch.end !== undefined) found.push(branch.end)
    return found
  }
  const word = branch.words.get(segment)
  if (word !== undefined) leavesAt(word, segments, at + 1, found)
  if (branch.named !== undefined && segment !== '') {
    leavesAt(branch.named, segments, at + 1, found)
  }
  return found
}

function serves({ method: served, when }: RouteRow, method: string, target: string): boolean {
  const isServed = served === method || served === 'ANY' || (served === 'GET' && method === 'HEAD')
  return isServed && (when === undefined || when(target))
}

function readValues<Values>(
  names: readonly Name[],
  segments: readonly string[],
  readers: SegmentReaders<Values>,
): Values | Refusal | undefined {
  const values: Record<string, unknown> = {}
  for (const { name, at, isRest } of names) {
    const raw = isRest ? segments.slice(at).join('/') : (segments[at] ?? '')
    const read = readers[name as keyof Values]
    const value: unknown = read === undefined ? raw : read(raw)
    if (value === undefined || isRefusal(value)) return value
    values[name] = value
  }
  return values as Values
}

function notAllowed(here: readonly Entry<RouteRow>[], method: string): Refusal {
  const methods = here.flatMap(({ row }) => (row.method === 'GET' ? ['GET', 'HEAD'] : row.method))
  const allow = [...new Set<string>(methods)].join(', ')
  const [{ row: { wrongMethod = usualWords } = {} } = {}] = here
  return refuse('method_not_allowed', wrongMethod(allow, method), { allow })
}

function usualWords(allow: string, method: string): string {
  return `${method} is not allowed here; allowed: ${allow}.`
}

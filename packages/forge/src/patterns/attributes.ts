/** A `.gitattributes` of the root folder: which paths it gives to the filter of large files. */

import type { Budget } from './glob.ts'
import { bytesOf, matchesPattern, type PathPattern, parsePattern } from './path-pattern.ts'
import { readLines } from './pattern-lines.ts'
import { unquote } from './unquote.ts'

/** `a=x` is a text, `a` is true, `-a` is false, `!a` takes back what lines above say. */
type Value = string | boolean

interface State {
  readonly name: string
  readonly value: Value | undefined
}

interface Row {
  readonly pattern: PathPattern
  readonly states: readonly State[]
}

export interface Attributes {
  /** The last line first. */
  readonly rows: readonly Row[]
  readonly macros: ReadonlyMap<string, readonly State[]>
}

/** Git leaves out lines of this length. */
export const tooLongLineBytes = 2048

const blanks = /[ \t\r\n]+/
const toBlank = /^[^ \t\r\n]*/

/** Lines that git leaves out with a warning are left out. */
export async function parseAttributes(text: string): Promise<Attributes> {
  const macros = new Map<string, readonly State[]>()
  const rows = await readLines(text, (line) => readLine(line, macros))
  const counts = ({ name }: State) => name === 'filter' || macros.has(name)
  return { rows: rows.filter(({ states }) => states.some(counts)).reverse(), macros }
}

/** The value of `filter`. The last line that matches decides. */
export function filterOf(
  { rows, macros }: Attributes,
  path: string,
  budget: Budget,
): Value | undefined {
  const bytes = bytesOf(path)
  const values = new Map<string, Value | undefined>()
  for (const { pattern, states } of rows) {
    if (values.has('filter') || budget.steps < 0) break
    if (matchesPattern(pattern, bytes, budget)) fill(values, states, { macros, budget })
  }
  return values.get('filter')
}

/** What is set already stays. A macro that is set says what its own line says. */
function fill(
  values: Map<string, Value | undefined>,
  states: readonly State[],
  { macros, budget }: Pick<Attributes, 'macros'> & { readonly budget: Budget },
): void {
  const open = [...states]
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    budget.steps -= 1
    if (budget.steps < 0) return
    if (values.has(state.name)) continue
    values.set(state.name, state.value)
    if (state.value === true) open.push(...(macros.get(state.name) ?? []))
  }
}

function readLine(line: string, macros: Map<string, readonly State[]>): Row[] {
  const given = line.replace(/^[ \t\r\n]+/, '')
  if (given === '' || given.startsWith('#') || line.length >= tooLongLineBytes) return []
  const { name, rest } = nameAndRest(given)
  const states = readStates(rest)
  if (states === undefined) return []
  if (name.length > 6 && name.startsWith('[attr]')) {
    const [macro = ''] = toBlank.exec(name.slice(6).replace(/^[ \t\r\n]+/, '')) ?? []
    if (isAttributeName(macro)) macros.set(macro, states)
    return []
  }
  const pattern = parsePattern(name)
  return pattern.isNegative || pattern.isForFolders ? [] : [{ pattern, states }]
}

/** A name in quotes may hold spaces. */
function nameAndRest(given: string): { readonly name: string; readonly rest: string } {
  const quoted = unquote(given)
  if (quoted !== undefined) return { name: quoted.text, rest: given.slice(quoted.end) }
  const [name = ''] = toBlank.exec(given) ?? []
  return { name, rest: given.slice(name.length) }
}

/** Undefined when one of the words is wrong: it spoils the line. */
function readStates(text: string): readonly State[] | undefined {
  const states = text
    .split(blanks)
    .filter((word) => word !== '')
    .map(readState)
  return states.every(({ name }) => isAttributeName(name)) ? states : undefined
}

function readState(word: string): State {
  const [, sign = '', name = '', value = true] = /^([-!]?)([^=]*)(?:=(.*))?$/.exec(word) ?? []
  return { name, value: sign === '-' ? false : sign === '!' ? undefined : value }
}

function isAttributeName(name: string): boolean {
  return /^[A-Za-z0-9._][A-Za-z0-9._-]*$/.test(name)
}

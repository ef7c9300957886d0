import { escapeText } from '@latchkey/service/text'
import { InvalidArgumentError } from 'commander'
import { membersOf, textOf, textsOf } from '../reading/members-of.ts'

export type TableRow = Readonly<Record<string, unknown>>

/** Columns in the order in which the rows first name them; those that are empty everywhere are left out. */
export function table(rows: readonly TableRow[]): string {
  const columns = columnsOf(rows)
  const lines = [columns.map(heading), ...rows.map((row) => columns.map((key) => cell(row[key])))]
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index]))))
  return lines
    .map((line) =>
      line
        .map((text, index) => pad(text, widths[index]))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** One thing as lines of `name  value`. */
export function record(row: TableRow): string {
  const entries = Object.entries(row).filter(([, value]) => !isEmpty(value))
  const width = Math.max(...entries.map(([key]) => heading(key).length))
  return entries.map(([key, value]) => `${heading(key).padEnd(width)}  ${cell(value)}\n`).join('')
}

/** `lastUsedAt` becomes `LAST USED AT`. */
function heading(key: string): string {
  return escapeText(key.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')).toUpperCase()
}

export function cell(value: unknown): string {
  if (isEmpty(value)) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return escapeText(value)
  if (Array.isArray(value)) return value.map(cell).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  const grant = formatGrant(value)
  if (grant !== undefined) return escapeText(grant)
  return Object.entries(value)
    .filter(([, inner]) => !isEmpty(inner))
    .map(([key, inner]) => `${escapeText(key)} ${cell(inner)}`)
    .join(' ')
}

function columnsOf(rows: readonly TableRow[]): string[] {
  const columns = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...columns].filter((key) => rows.some((row) => !isEmpty(row[key])))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function widthOf(text = ''): number {
  return [...text].length
}

function pad(text: string, width = 0): string {
  return text + ' '.repeat(width - widthOf(text))
}

export const grantForm = 'contents:on[@refs]'

/** Splits the text only; the operation validates it with the rest of the input. */
export function parseGrant(text: string): unknown {
  if (text.startsWith('{')) return parseJson(text)
  const [, contents, on, refs] = /^([^:]+):([^@]+)(?:@(.+))?$/.exec(text) ?? []
  if (contents === undefined) {
    throw new InvalidArgumentError(
      'Give read or write, a colon, and models/acme/bert, acme/* or *; then @ and refs, if it is limited to some: write:models/acme/bert@main,release/*',
    )
  }
  return { on, contents, ...(refs === undefined ? {} : { refs: refs.split(',') }) }
}

/** Undefined for anything that is no grant. */
function formatGrant(value: object): string | undefined {
  const { on, contents, refs, ...more } = membersOf(value)
  const isWhole = textOf(on) !== undefined && textOf(contents) !== undefined
  if (!isWhole || Object.keys(more).length > 0) return undefined
  if (refs === undefined) return `${contents}:${on}`
  const names = textsOf(refs)
  return names === undefined ? undefined : `${contents}:${on}@${names.join(',')}`
}

/** For refs with a comma in their name. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It begins like JSON, but is not valid JSON.')
  }
}

/** The result of a verb on standard output: a page as a table, a thing as a record, or either as JSON. */

import { once } from 'node:events'
import { shellWord } from '@latchkey/service/text'
import { isObject } from '../reading/members-of.ts'
import { createNewFile, reasonOf } from './new-file.ts'
import { unavailable } from './stop.ts'
import { record, type TableRow, table } from './table.ts'
import { tell } from './tell.ts'

export function showResult(result: unknown, { json, keepSecret }: Output): void {
  const row = isObject(result) ? result : { result }
  const { token, ...rest } = row
  if (typeof token === 'string') keepSecret?.(`${token}\n`)
  const output = keepSecret === undefined ? row : rest
  if (json) print(jsonText(output))
  else if (isPage(output)) showPage(output)
  else showThing(output)
}

export function jsonText(value: unknown, indent = 2): string {
  // As valid as before, and safe to look at on a terminal.
  return `${JSON.stringify(value, undefined, indent).replace(unsafe, escaped)}\n`
}

const unsafe = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

export function print(text: string): void {
  process.stdout.write(text)
}

/** Waits until a slow reader has taken the lines, so that they do not pile up. */
export async function printAll(lines: readonly string[]): Promise<void> {
  if (!process.stdout.write(lines.join(''))) await once(process.stdout, 'drain')
}

interface Page {
  readonly items: readonly TableRow[]
  readonly total: number
  readonly next?: string
}

function showPage({ items, total, next }: Page): void {
  if (items.length > 0) print(table(items))
  else tell('There are none.')
  if (next === undefined) return
  tell(`These are ${items.length} of ${total}. Continue with --after ${shellWord(next)}.`)
}

function showThing(thing: TableRow): void {
  print(record(thing))
  if ('token' in thing) tell('The token is shown only once: keep it in a safe place.')
}

function isPage(value: object): value is Page {
  return 'items' in value && Array.isArray(value.items) && 'total' in value
}

/** Where a result goes: to people or to machines, and a new hub token to a file if one is named. */
export interface Output {
  readonly json: boolean
  /** Takes what must be shown once; undefined shows it on standard output. */
  readonly keepSecret: ((text: string) => void) | undefined
}

type Flags = Readonly<Record<string, unknown>>

/** The file is there before the work begins, and gone again if the work fails. */
export async function withOutput<Result>(
  { json, output: file }: Flags,
  work: (output: Output) => Promise<Result>,
): Promise<Result> {
  if (typeof file !== 'string') return work({ json: json === true, keepSecret: undefined })
  const created = createNewFile(file)
  let isKept = false
  try {
    return await work({
      json: json === true,
      keepSecret(text) {
        isKept = true
        keep(() => created.finish(text), file)
        tell(`the secret is written to ${file}, for its owner only`)
      },
    })
  } finally {
    if (!isKept) created.discard()
  }
}

function keep(finish: () => void, file: string): void {
  try {
    finish()
  } catch (error) {
    throw unavailable(
      `the change is made, but ${file} cannot be written (${reasonOf(error)}): revoke the new hub token and create another`,
    )
  }
}

/** The headers of the storage's answer as the client gets them. */

import { hopHeaders } from './hop-headers.ts'

export type AnsweredHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** `own` are the gateway's, names and values in turn; they replace the storage's of the same name. */
export function clientHeaders(answered: AnsweredHeaders, own: readonly string[]): string[] {
  const connection = answered['connection']
  const dropped = hopHeaders(connection === undefined ? undefined : String(connection))
  const replaced = new Set(
    own.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()),
  )
  const kept: string[] = []
  for (const [name, value] of Object.entries(answered)) {
    if (value === undefined || dropped.has(name) || (replaced.has(name) && name !== 'vary'))
      continue
    for (const one of typeof value === 'string' ? [value] : value) kept.push(name, one)
  }
  return [...kept, ...own]
}

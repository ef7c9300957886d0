/** Where the request of an operation goes: its members in the path, and the others. */

import { badOption } from '@latchkey/client/parts'
import { isTokenAsName } from '@latchkey/protocol'
import type { OperationRow } from '../operations/rows.ts'

export interface Address {
  readonly path: string
  /** The input members that the path does not name. */
  readonly rest: Readonly<Record<string, unknown>>
}

const placeholder = /\{(\w+)(?::(\d))?\}/g

export function addressOf(
  { path }: Pick<OperationRow, 'path'>,
  input: Readonly<Record<string, unknown>>,
): Address {
  const inPath = new Set<string>()
  const filled = path.replace(placeholder, (_, member: string, count = '1') => {
    inPath.add(member)
    return segmentsIn(member, input[member], Number(count))
  })
  const rest = Object.entries(input).filter(
    ([member, value]) => !inPath.has(member) && value !== undefined,
  )
  return { path: filled, rest: Object.fromEntries(rest) }
}

/** A dot segment would lead to another operation, and a URL is in logs: no token belongs there. */
function segmentsIn(member: string, value: unknown, count: number): string {
  const segments = count === 1 ? [value] : String(value).split('/')
  if (segments.length === count && segments.every(isSegment)) {
    return segments.map(encodeURIComponent).join('/')
  }
  throw badOption(member, count === 1 ? 'give a name or an id' : 'give it as in models/acme/bert')
}

function isSegment(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    !/^\.{0,2}$/.test(text) &&
    text.isWellFormed() &&
    !isTokenAsName(text)
  )
}

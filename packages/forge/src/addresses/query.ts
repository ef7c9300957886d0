/** The query of a request target, as HTML forms write one. */

import { decodeOnce } from '@latchkey/protocol'

const longestQuery = 8192

/** Names with their values in order; undefined when the query cannot be decoded. */
export function readQuery(
  target: string,
  longest: number = longestQuery,
): ReadonlyMap<string, readonly string[]> | undefined {
  const start = target.indexOf('?')
  const found = new Map<string, string[]>()
  if (start === -1) return found
  const text = target.slice(start + 1)
  if (text.length > longest) return undefined
  for (const pair of text.split('&')) {
    const [name, value] = decodePair(pair)
    if (name === undefined || value === undefined) return undefined
    if (name === '') continue
    const values = found.get(name)
    if (values === undefined) found.set(name, [value])
    else values.push(value)
  }
  return found
}

/** `recursive`, `create_pr=1`, `expand=true` and Python's `expand=True`. */
export function isFlagSet(query: ReadonlyMap<string, readonly string[]>, name: string): boolean {
  return ['', '1', 'true', 'True'].includes(query.get(name)?.at(-1) ?? 'false')
}

function decodePair(pair: string): [string | undefined, string | undefined] {
  const equals = pair.indexOf('=')
  const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
  return [decodeFormPart(name), decodeFormPart(value)]
}

function decodeFormPart(text: string): string | undefined {
  return decodeOnce(text.replaceAll('+', '%20'))
}

import { decodeOnce } from '@latchkey/protocol'
import { nextSlice } from '@latchkey/service/limits/slices'

const maxQueryLength = 8192

export type Query = ReadonlyMap<string, readonly string[]>

/** Names with their values in order; undefined when the query cannot be decoded. */
export function readQuery(target: string): Query | undefined {
  const start = target.indexOf('?')
  const found = new Map<string, string[]>()
  if (start === -1) return found
  const text = target.slice(start + 1)
  if (text.length > maxQueryLength) return undefined
  return text.split('&').every((pair) => addPair(found, pair)) ? found : undefined
}

/** A slice of characters. Plus signs are the slowest: a form of 1 MiB of them takes 50 ms. */
const lettersAtOnce = 32 * 1024
/** A shorter form is decoded at once. A longer one waits for its turn among the slices of other requests. */
const shortLetters = 4 * 1024
/** Longer than a path with each of its bytes written as three. */
const maxPair = 16 * 1024

/** The same for the body of a form. Undefined also where it has too many pairs, or one that is too long. */
export async function readForm(text: string, maxPairs: number): Promise<Query | undefined> {
  const found = new Map<string, string[]>()
  if (text.length > shortLetters) await nextSlice()
  const pairs = text.split('&', maxPairs + 1)
  if (pairs.length > maxPairs) return undefined
  let letters = 0
  for (const pair of pairs) {
    if (pair.length > maxPair || !addPair(found, pair)) return undefined
    letters += pair.length
    if (letters < lettersAtOnce) continue
    letters = 0
    await nextSlice()
  }
  return found
}

function addPair(found: Map<string, string[]>, pair: string): boolean {
  const [name, value] = decodePair(pair)
  if (name === undefined || value === undefined) return false
  if (name === '') return true
  const values = found.get(name)
  if (values === undefined) found.set(name, [value])
  else values.push(value)
  return true
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

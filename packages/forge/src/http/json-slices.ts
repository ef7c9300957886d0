/** Writes a value as JSON in slices, so that a large one neither stops other requests nor lies in memory whole. */

import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import { JsonText } from '../words/json-text.ts'

/** Characters; a slice ends with the first piece that reaches them. */
export const sliceLength = 64 * 1024

/** A list, its items and their members; or the members of an object and what they list. */
const depth = 3

export function* jsonSlices(value: unknown): Generator<string, void, undefined> {
  let text = ''
  for (const piece of piecesOf(value, depth)) {
    text += piece
    if (text.length < sliceLength) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function* piecesOf(value: unknown, levels: number): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > sliceLength) yield* piecesOfText(value)
  else if (value instanceof JsonText) yield value.text
  else if (levels === 0 || typeof value !== 'object' || value === null) {
    yield JSON.stringify(value) ?? 'null'
  } else if (Array.isArray(value)) {
    let mark = '['
    for (const item of value) {
      yield mark
      yield* piecesOf(item, levels - 1)
      mark = ','
    }
    yield value.length === 0 ? '[]' : ']'
  } else {
    let mark = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${mark}${JSON.stringify(name)}:`
      yield* piecesOf(member, levels - 1)
      mark = ','
    }
    yield mark === '{' ? '{}' : '}'
  }
}

const textLength = 16 * 1024

/** The halves of a character that is divided are escaped, and readers join them again. */
function* piecesOfText(text: string): Generator<string, void, undefined> {
  yield '"'
  for (let at = 0; at < text.length; at += textLength) {
    yield JSON.stringify(text.slice(at, at + textLength)).slice(1, -1)
  }
  yield '"'
}

/** Makes a slice only when the client has taken the one before, and lets other requests go first. */
export async function* slicesInTurn(
  first: string,
  rest: Iterable<string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(first)
  for (const slice of rest) {
    await yieldToEventLoop()
    yield Buffer.from(slice)
  }
}

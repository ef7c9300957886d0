/** The input of a verb, gathered from the path, the query and the body of a request. */

import { hasBody, mistake, readInput, type Verb } from '@latchkey/admin-api'
import { readJson } from '@latchkey/admin-api/read-json'
import { type Refusal, refuse } from '@latchkey/protocol'
import type { z } from 'zod'
import type { Matched } from './match-route.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function readRequest(
  { verb, members }: Matched,
  { query, body }: { readonly query: unknown; readonly body: Uint8Array },
): z.output<Verb['input']> | Refusal {
  const given = hasBody(verb) ? readMembers(body) : readQuery(query, body)
  if ('refusal' in given) return given.refusal
  const twice = Object.keys(members).find((member) => Object.hasOwn(given.members, member))
  if (twice !== undefined) return mistake([twice], 'is in the path already: leave it out here')
  return readInput(verb.input, { ...given.members, ...members })
}

type Given = { readonly members: object } | { readonly refusal: Refusal }

function readMembers(body: Uint8Array): Given {
  if (body.length === 0) return { members: {} }
  const text = decode(body)
  if (text === undefined) return { refusal: mistake([], 'is not UTF-8: send JSON as UTF-8') }
  const read = readJson(text)
  if (!('value' in read)) return { refusal: read }
  const { value } = read
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { members: value }
  }
  return { refusal: mistake([], 'must be a JSON object') }
}

function readQuery(query: unknown, body: Uint8Array): Given {
  if (body.length > 0) {
    const detail = 'This method takes no body. Name everything in the path and the query.'
    return { refusal: refuse('bad_request', detail) }
  }
  return { members: typeof query === 'object' && query !== null ? query : {} }
}

function decode(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}

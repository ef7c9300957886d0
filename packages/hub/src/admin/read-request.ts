/** The input of a verb, gathered from the path, the query and the body of a request. */

import { parse } from 'node:querystring'
import { hasBody, mistake, readInputInParts, type Verb } from '@latchkey/admin-api'
import { type Pause, readJsonInSlices } from '@latchkey/admin-api/read-json'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { nextSlice, slicePauses } from '@latchkey/service/limits/slices'
import type { z } from 'zod'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The limit for one object in a body. A list may have twice as many items. */
const maxMembers = 20_000

/** A longer body waits for its turn among the bodies of other requests. */
export const shortBytes = 4 * 1024

/** The members of an input that the path has. */
export type VerbMembers = Readonly<Record<string, string>>

export interface VerbRequest {
  readonly verb: Verb
  readonly members: VerbMembers
}

export async function readRequest(
  { verb, members }: VerbRequest,
  { target, body }: { readonly target: string; readonly body: Uint8Array },
): Promise<z.output<Verb['input']> | Refusal> {
  const pause = slicePauses()
  const input = hasBody(verb) ? await readMembers(body, pause) : readQuery(target, body)
  if (isRefusal(input)) return input
  const twice = Object.keys(members).find((member) => Object.hasOwn(input, member))
  if (twice !== undefined) return mistake([twice], 'is in the path already: leave it out here')
  return readInputInParts(verb.input, Object.assign(input, members), pause)
}

export async function readMembers(body: Uint8Array, pause: Pause): Promise<object | Refusal> {
  if (body.length === 0) return {}
  if (body.length > shortBytes) await nextSlice()
  const text = decode(body)
  if (text === undefined) return mistake([], 'is not UTF-8: send JSON as UTF-8')
  const read = await readJsonInSlices(text, pause, maxMembers)
  if (isRefusal(read)) return read
  const isObject = typeof read === 'object' && read !== null && !Array.isArray(read)
  return isObject ? read : mistake([], 'must be a JSON object')
}

function readQuery(target: string, body: Uint8Array): object | Refusal {
  if (body.length > 0) {
    const detail = 'This method takes no body. Name everything in the path and the query.'
    return refuse('bad_request', detail)
  }
  return queryOf(target)
}

export function queryOf(target: string): object {
  const [, ...query] = target.split('?')
  // A member given twice becomes a list, which its schema refuses.
  return parse(query.join('?'), '&', '=', { maxKeys: 0 })
}

function decode(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}

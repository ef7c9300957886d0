/** The bodies of requests, bounded. To be read once the caller is known. */

import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { readAtMost } from '@latchkey/service/read-at-most'
import { readJsonBody } from '@latchkey/service/read-json-body'
import { readQuery } from '../addresses/query.ts'
import { type Members, membersOf } from '../encoding/members.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** An object of JSON. */
export async function jsonMembers(request: IncomingMessage): Promise<Members | Refusal> {
  const bytes = await readJsonBody(request)
  if (isRefusal(bytes)) return bytes
  return parsed(bytes) ?? refuse('bad_request', 'The body must be a JSON object in UTF-8.')
}

function parsed(bytes: Uint8Array): Members | undefined {
  try {
    return membersOf(JSON.parse(utf8.decode(bytes)))
  } catch {
    return undefined
  }
}

const mostFormBytes = 4 * 1024 * 1024
const isForm = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i

/** A form, as Python sends one, or JSON, as JavaScript does; each member as a list of texts. */
export async function formOrJson(
  request: IncomingMessage,
): Promise<ReadonlyMap<string, readonly string[]> | Refusal> {
  if (!isForm.test(request.headers['content-type'] ?? '')) {
    const members = await jsonMembers(request)
    return isRefusal(members) ? members : new Map(Object.entries(members).map(asTexts))
  }
  const stream = request.iterator({ destroyOnReturn: false })
  const bytes = await readAtMost(stream, mostFormBytes)
  if (bytes === undefined) return tooLarge(mostFormBytes)
  const form = readQuery(`?${bytes.toString('latin1')}`, mostFormBytes)
  return form ?? refuse('bad_request', 'The body is no form that can be decoded.')
}

function asTexts([name, value]: [string, unknown]): [string, readonly string[]] {
  const values = Array.isArray(value) ? value : [value]
  return [name, values.filter((one) => typeof one !== 'object').map(String)]
}

/** What a client of git sends, unpacked. Ends with an error beyond the bound. */
export async function* gitBody(
  request: IncomingMessage,
  mostBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const isPacked = request.headers['content-encoding'] === 'gzip'
  let bytes = 0
  for await (const part of isPacked ? request.pipe(createGunzip()) : request) {
    bytes += part.length
    if (bytes > mostBytes) throw new Error('a body of git is too large')
    yield part
  }
}

/** The parts of a body up to a bound. Throws `BodyTooLarge` where there are more. */
export async function* boundedBody(
  request: IncomingMessage,
  mostBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += part.length
    if (bytes > mostBytes) throw new BodyTooLarge(mostBytes)
    yield part
  }
}

export class BodyTooLarge extends Error {
  readonly refusal: Refusal

  constructor(mostBytes: number) {
    super('the body is too large')
    this.refusal = tooLarge(mostBytes)
  }
}

function tooLarge(mostBytes: number): Refusal {
  return refuse('body_too_large', `The body is larger than ${mostBytes} bytes. Split it.`)
}

/** The bodies of requests, bounded. To be read once the caller is known. */

import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { boundedParts, readBody, readJsonBody } from '@latchkey/service/http/bodies'
import { parseJson } from '@latchkey/service/http/parse-json'
import type { TakeRoom } from '@latchkey/service/limits/shares'
import { type Members, membersOf } from '../words/members.ts'
import { readForm } from '../words/query.ts'

/** Enough for names and a few words; routes that take lists or texts have bounds of their own. */
const usualMostBytes = 64 * 1024

/** A request whose body is read into memory. */
export interface BodyRequest {
  readonly request: IncomingMessage
  /** Holds room for the body until the request is over. */
  readonly takeRoom: TakeRoom
}

/** An object of JSON. */
export async function jsonMembers(
  { request, takeRoom }: BodyRequest,
  most: number = usualMostBytes,
): Promise<Members | Refusal> {
  const bytes = await readJsonBody(request, { most, take: takeRoom })
  return isRefusal(bytes) ? bytes : membersIn(bytes)
}

export async function membersIn(bytes: Uint8Array): Promise<Members | Refusal> {
  const members = membersOf(await parseJson(bytes))
  return members ?? refuse('bad_request', 'The body must be a JSON object in UTF-8.')
}

const isForm = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i

export interface FormBounds {
  readonly formBytes: number
  readonly jsonBytes: number
  readonly pairs: number
}

/** A form, as Python sends one, or JSON, as JavaScript does; each member as a list of texts. */
export async function formOrJson(
  { request, takeRoom }: BodyRequest,
  { formBytes, jsonBytes, pairs }: FormBounds,
): Promise<ReadonlyMap<string, readonly string[]> | Refusal> {
  if (!isForm.test(request.headers['content-type'] ?? '')) {
    const members = await jsonMembers({ request, takeRoom }, jsonBytes)
    return isRefusal(members) ? members : new Map(Object.entries(members).map(asTexts))
  }
  const bytes = await readBody(request, { most: formBytes, take: takeRoom })
  if (isRefusal(bytes)) return bytes
  const form = await readForm(Buffer.from(bytes).toString('latin1'), pairs)
  return form ?? refuse('bad_request', `The body is no form of at most ${pairs} pairs.`)
}

function asTexts([name, value]: [string, unknown]): [string, readonly string[]] {
  const values = Array.isArray(value) ? value : [value]
  return [name, values.filter((one) => typeof one !== 'object').map(String)]
}

/** The body that a git client sends, unpacked. Throws `BodyTooLarge` and `BodyUnreadable`. */
export async function* gitBody(
  request: IncomingMessage,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const isPacked = request.headers['content-encoding'] === 'gzip'
  try {
    yield* boundedParts(isPacked ? request.pipe(createGunzip()) : request, maxBytes)
  } catch (error) {
    throw isOfGzip(error) ? new BodyUnreadable('The body is not whole gzip. Send it again.') : error
  }
}

/**
 * The parts of a body that must have a length. The last one is given once nothing follows it, so that whoever gets all of
 * them got no more and no less. Throws `BodyUnreadable`.
 */
export async function* exactParts(
  parts: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0
  let last: Uint8Array | undefined
  for await (const part of parts) {
    bytes += part.length
    if (bytes > size) throw new BodyUnreadable(otherSize(size), 'content_invalid')
    if (part.length === 0) continue
    if (last !== undefined) yield last
    last = part
  }
  if (bytes !== size) throw new BodyUnreadable(otherSize(size), 'content_invalid')
  if (last !== undefined) yield last
}

export function otherSize(size: number): string {
  return `The body must have exactly ${size} bytes, as its address says. Nothing was stored.`
}

function isOfGzip(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

export class BodyUnreadable extends Error {
  readonly refusal: Refusal

  constructor(detail: string, code: 'bad_request' | 'content_invalid' = 'bad_request') {
    super('the body cannot be read')
    this.refusal = refuse(code, detail)
  }
}

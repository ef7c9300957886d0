/** Reads the body of a request: bounded in bytes and in time, and as JSON only if the client calls it so. */

import type { IncomingMessage } from 'node:http'
import { type Refusal, refuse } from '@latchkey/protocol'
import type { TakeRoom } from '../limits/body-room.ts'
import { atPace, BodyTooSlow, wholeBodyPace } from './body-pace.ts'
import { readAtMost } from './read-at-most.ts'

const nothing = new Uint8Array()
const json = /^application\/json[ \t]*(?:;|$)/i

export interface BodyLimits {
  /** In bytes. */
  readonly most: number
  /** A sentence that tells the client what to do about a larger body. */
  readonly advice?: string
  /** Asked before anything is read, with the length of the body, or with `most` where the client names none. */
  readonly take?: TakeRoom
  /** Asked before so many more bytes are kept; its refusal ends the reading. */
  readonly hold?: (bytes: number) => Refusal | undefined
  /** For a body that must arrive sooner than others. */
  readonly deadline?: { readonly ms: number; readonly refusal: Refusal }
}

/** To be called once the caller is known: a stranger must not make us hold megabytes. */
export async function readJsonBody(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<Uint8Array | Refusal> {
  if (announcesBody(request) && !json.test(request.headers['content-type'] ?? '')) {
    return refuse('unsupported_media_type', 'Send the body as application/json.')
  }
  return readBody(request, limits)
}

/** The same for a body of any type. */
export async function readBody(
  request: IncomingMessage,
  { most, advice, take = noRoomNeeded, hold = () => undefined, deadline }: BodyLimits,
): Promise<Uint8Array | Refusal> {
  if (!announcesBody(request)) return nothing
  const { 'content-length': length } = request.headers
  if (Number(length ?? 0) > most) return tooLarge(most, advice)
  const refusal = await take(Number(length ?? most))
  if (refusal !== undefined) return refusal
  try {
    // The client is still to be answered, so the connection is left open here.
    const pace = { ...wholeBodyPace, ...(deadline && { mostMs: deadline.ms }) }
    const stream = atPace(request.iterator({ destroyOnReturn: false }), pace)
    const held = holding(stream, hold)
    const body = await readAtMost(held.parts(), most)
    if (held.refusal !== undefined) return held.refusal
    if (body === undefined) return tooLarge(most, advice)
    return length === undefined || Number(length) === body.length ? body : brokenOff()
  } catch (error) {
    return error instanceof BodyTooSlow ? (deadline?.refusal ?? error.refusal) : brokenOff()
  }
}

const noRoomNeeded: TakeRoom = async () => undefined

/** The parts until one of them is refused. */
function holding(stream: AsyncIterable<Uint8Array>, hold: Required<BodyLimits>['hold']) {
  return {
    refusal: undefined as Refusal | undefined,
    async *parts() {
      for await (const part of stream) {
        this.refusal = hold(part.length)
        if (this.refusal !== undefined) return
        yield part
      }
    },
  }
}

/** The body of a GET request is ignored: RFC 9110 §9.3.1. */
function announcesBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function tooLarge(most: number, advice = 'Split it.'): Refusal {
  return refuse('body_too_large', `The body is larger than ${most} bytes. ${advice}`)
}

export class BodyTooLarge extends Error {
  readonly refusal: Refusal

  constructor(maxBytes: number) {
    super('the body is too large')
    this.refusal = tooLarge(maxBytes)
  }
}

/** The parts of a body that is not kept in memory, up to a bound. Throws `BodyTooLarge` where there are more. */
export async function* boundedParts(
  parts: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0
  for await (const part of parts) {
    bytes += part.length
    if (bytes > maxBytes) throw new BodyTooLarge(maxBytes)
    yield part
  }
}

function brokenOff(): Refusal {
  return refuse('bad_request', 'The body is not as long as its Content-Length says.')
}

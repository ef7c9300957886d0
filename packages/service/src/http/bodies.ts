/** Reads the body of a request: bounded in bytes and in time, and as JSON only if the client calls it so. */

import type { IncomingMessage } from 'node:http'
import { type Refusal, refuse } from '@latchkey/protocol'
import { shortBodyBytes, type TakeRoom } from '../limits/shares.ts'

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
  { most, advice, take = noRoomNeeded, hold = holdsAll, deadline }: BodyLimits,
): Promise<Uint8Array | Refusal> {
  if (!announcesBody(request)) return nothing
  const { 'content-length': length } = request.headers
  if (Number(length ?? 0) > most) return tooLarge(most, advice)
  const refusal = await take(Number(length ?? most))
  if (refusal !== undefined) return refusal
  const isShort = length !== undefined && Number(length) <= shortBodyBytes
  if (isShort && deadline === undefined && hold === holdsAll) {
    return readShortBody(request, Number(length))
  }
  try {
    // The client is still to be answered, so the connection is left open here.
    const pace = { ...wholeBodyPace, ...(deadline && { maxMs: deadline.ms }) }
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
const holdsAll = () => undefined

/** Mostly it came with the head of its request, so no iterator is needed. */
function readShortBody(request: IncomingMessage, length: number): Promise<Uint8Array | Refusal> {
  return new Promise((resolve) => {
    const body = Buffer.allocUnsafe(length)
    let end = 0
    const finish = (result: Uint8Array | Refusal) => {
      clearTimeout(timer)
      request.off('data', keep).off('end', whole).off('close', broken).off('error', broken)
      if (result !== body) request.pause()
      resolve(result)
    }
    const keep = (part: Buffer) => {
      body.set(part, end)
      end += part.length
    }
    const whole = () => finish(end === length ? body : brokenOff())
    const broken = () => finish(brokenOff())
    const timer = setTimeout(() => finish(new BodyTooSlow().refusal), usualPace.windowMs)
    request.on('data', keep).on('end', whole).on('close', broken).on('error', broken)
  })
}

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

/**
 * Reads a stream to its end. Undefined when there is more than `most`; the rest is not read. The parts are copied as they come: a client that sends
 * its bytes one by one would make us keep an object for each of them.
 */
export async function readAtMost(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Buffer | undefined> {
  let bytes: Buffer = Buffer.alloc(0)
  let length = 0
  for await (const part of stream) {
    const end = length + part.length
    if (end > most) return undefined
    if (end > bytes.length) bytes = grown(bytes, Math.min(most, Math.max(end, 2 * length)))
    bytes.set(part, length)
    length = end
  }
  return bytes.subarray(0, length)
}

function grown(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size)
  larger.set(bytes)
  return larger
}

export interface Pace {
  readonly windowMs: number
  /** Bytes that must move within a window in which we do nothing but wait. */
  readonly minBytes: number
  /** For the whole body, without the time that we take ourselves. No limit by default. */
  readonly maxMs?: number
}

export const usualPace: Pace = { windowMs: 30_000, minBytes: 64 * 1024 }

/** For a body that is read into memory, and that holds its room there meanwhile. */
export const wholeBodyPace: Pace = { ...usualPace, maxMs: 60_000 }

export class BodyTooSlow extends Error {
  readonly refusal: Refusal = refuse(
    'request_timeout',
    'The body came too slowly. Nothing was changed; send it again.',
  )
}

/** A body that moves at a least pace: a client that trickles would hold its slot for minutes. Throws `BodyTooSlow`. Time that we take ourselves does not count. */
export async function* atPace(
  parts: AsyncIterable<Uint8Array>,
  { windowMs, minBytes, maxMs = Number.POSITIVE_INFINITY }: Pace = usualPace,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = parts[Symbol.asyncIterator]()
  let [waitedMs, bytes, waitedInAll] = [0, 0, 0]
  try {
    for (;;) {
      const began = performance.now()
      const left = Math.min(windowMs - waitedMs, maxMs - waitedInAll)
      const next = await within(source.next(), left)
      if (next.done) return
      const ms = performance.now() - began
      waitedMs += ms
      waitedInAll += ms
      if (waitedInAll >= maxMs) throw new BodyTooSlow()
      bytes += next.value.length
      if (bytes >= minBytes) [waitedMs, bytes] = [0, 0]
      else if (waitedMs >= windowMs) throw new BodyTooSlow()
      yield next.value
    }
  } finally {
    // Not waited for: a body that stands still would never say that it has ended.
    source.return?.()?.catch(() => {})
  }
}

/** Calls `cut` when the client reads too slowly. Time that the parts take to be made does not count. */
export async function* readAtPace(
  parts: AsyncIterable<Uint8Array>,
  cut: () => void,
  { windowMs, minBytes }: Pace = usualPace,
): AsyncGenerator<Uint8Array, void, undefined> {
  let [waitedMs, bytes] = [0, 0]
  for await (const part of parts) {
    const began = performance.now()
    const timer = setTimeout(cut, Math.max(1, windowMs - waitedMs))
    try {
      yield part
    } finally {
      clearTimeout(timer)
    }
    waitedMs += performance.now() - began
    bytes += part.length
    if (bytes >= minBytes) [waitedMs, bytes] = [0, 0]
  }
}

async function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyTooSlow()), Math.max(1, ms))
  })
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

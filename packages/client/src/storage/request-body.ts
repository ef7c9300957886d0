/** The body of a storage request: whether it can be sent again, and how its way is watched. */

import { type ByteSource, countBytes, type OnProgress } from './count-bytes.ts'

/** Their names are in lower case. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[]

type WholeBody = NonNullable<RequestInit['body']>

type Body = WholeBody | ByteSource | null | undefined

/** A function makes the body anew for every try, so that a stream can be sent again. */
export type RequestBody = Body | (() => Body | Promise<Body>)

export interface PreparedBody {
  readonly isRepeatable: boolean
  /** Undefined when it would be a stream that has begun before. */
  make(): Promise<BodyOnTheWay | undefined>
  /** Lets go of what was made last: nobody waits for it any more. */
  stop(reason?: unknown): void
}

/** A body as fetch takes it, once. */
export interface BodyOnTheWay {
  readonly init: { readonly body?: WholeBody; readonly duplex?: 'half' }
  /** Headers that fetch cannot derive from a body that is counted. */
  readonly headers?: HeaderPairs
  /** The storage has answered. */
  arrived?(): void
  /** Why the body itself could not be read, once that has happened. */
  failure?(): { readonly reason: unknown } | undefined
  stop?(reason?: unknown): void
}

export function prepareBody(
  requestBody: RequestBody,
  onProgress: OnProgress | undefined,
): PreparedBody {
  // Read at once: a stream of Node that breaks while nobody does would end the process.
  const begun = isSource(requestBody) ? streamed(requestBody, onProgress) : undefined
  let last = begun
  let source: Body
  return {
    isRepeatable: begun === undefined,
    async make() {
      if (begun !== undefined) return begun
      const body = typeof requestBody === 'function' ? await requestBody() : requestBody
      if (isSource(body) && body === source) return undefined
      source = body
      last = await onTheWay(body, onProgress)
      return last
    },
    stop: (reason) => last?.stop?.(reason),
  }
}

async function onTheWay(body: Body, onProgress: OnProgress | undefined): Promise<BodyOnTheWay> {
  if (isSource(body)) return streamed(body, onProgress)
  if (body === null || body === undefined) return { init: {} }
  return onProgress === undefined ? { init: { body } } : watched(body, onProgress)
}

function streamed(
  source: ByteSource,
  onProgress: OnProgress | undefined,
  total?: number,
): BodyOnTheWay {
  const { stream, failure, stop } = countBytes(source, total, onProgress)
  return { init: { body: stream as WholeBody, duplex: 'half' }, failure, stop }
}

/** No browser streams a request over HTTP/1.1: there, all that can be told is begin and end. */
const isBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis

async function watched(body: WholeBody, onProgress: OnProgress): Promise<BodyOnTheWay> {
  // The platform knows what it would send, and as which type.
  const blob = body instanceof Blob ? body : await new Response(body).blob()
  const { size, type } = blob
  if (isBrowser) {
    onProgress(0, size)
    return { init: { body }, arrived: () => onProgress(size, size) }
  }
  const headers = [['content-length', `${size}`] as const, ['content-type', type] as const]
  return {
    ...streamed(piecesOf(blob), onProgress, size),
    headers: headers.filter(([, value]) => value !== ''),
  }
}

/** A blob streams itself in as few pieces as it likes. */
const pieceLength = 256 * 1024

async function* piecesOf(blob: Blob): AsyncIterable<Uint8Array> {
  for (let begin = 0; begin < blob.size; begin += pieceLength) {
    yield new Uint8Array(await blob.slice(begin, begin + pieceLength).arrayBuffer())
  }
}

function isSource(body: RequestBody): body is ByteSource {
  if (body instanceof ReadableStream) return true
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

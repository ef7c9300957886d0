/** The body of a storage request: whether it can be sent again, and how its way is watched. */

import { type ByteSource, countBytes, type OnProgress } from './count-bytes.ts'

type WholeBody = NonNullable<RequestInit['body']>

type Body = WholeBody | ByteSource | null | undefined

/** A function makes the body anew for every try, so that a stream can be sent again. */
export type RequestBody = Body | (() => Body | Promise<Body>)

export interface PreparedBody {
  readonly isRepeatable: boolean
  make(): Promise<BodyOnTheWay>
}

/** A body as fetch takes it, once. */
export interface BodyOnTheWay {
  readonly init: { readonly body?: WholeBody; readonly duplex?: 'half' }
  /** What fetch cannot know of a body that is counted. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The storage has answered. */
  arrived(): void
  /** Why the body itself could not be read, once that has happened. */
  failure(): { readonly reason: unknown } | undefined
}

export function prepareBody(given: RequestBody, onProgress: OnProgress | undefined): PreparedBody {
  return {
    isRepeatable: typeof given === 'function' || !isSource(given),
    async make() {
      const body = typeof given === 'function' ? await given() : given
      if (body === null || body === undefined) return sentWhole({})
      if (isSource(body)) return streamed(body, onProgress)
      if (onProgress === undefined) return sentWhole({ body })
      return watched(body, onProgress)
    },
  }
}

function sentWhole(init: BodyOnTheWay['init'], arrived = () => {}): BodyOnTheWay {
  return { init, headers: [], arrived, failure: () => undefined }
}

function streamed(
  source: ByteSource,
  onProgress: OnProgress | undefined,
  total?: number,
): BodyOnTheWay {
  const { stream, failure } = countBytes(source, total, onProgress)
  return {
    init: { body: stream as WholeBody, duplex: 'half' },
    headers: [],
    arrived() {},
    failure,
  }
}

/** No browser streams a request over HTTP/1.1: there, all that can be told is begin and end. */
function watched(body: WholeBody, onProgress: OnProgress): BodyOnTheWay {
  const blob = blobOf(body)
  if (blob === undefined || 'document' in globalThis || 'WorkerGlobalScope' in globalThis) {
    onProgress(0, blob?.size)
    return sentWhole({ body }, () => blob !== undefined && onProgress(blob.size, blob.size))
  }
  const type = blob.type === '' ? [] : [['content-type', blob.type] as const]
  return {
    ...streamed(piecesOf(blob), onProgress, blob.size),
    headers: [['content-length', String(blob.size)], ...type],
  }
}

/** A blob streams itself in as few pieces as it likes. */
const pieceLength = 256 * 1024

async function* piecesOf(blob: Blob): AsyncIterable<Uint8Array> {
  for (let begin = 0; begin < blob.size; begin += pieceLength) {
    yield new Uint8Array(await blob.slice(begin, begin + pieceLength).arrayBuffer())
  }
}

function isSource(body: Body): body is ByteSource {
  if (body instanceof ReadableStream) return true
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** The bytes of what has a length that is known; text as the platform would send it. */
function blobOf(body: WholeBody): Blob | undefined {
  if (body instanceof Blob) return body
  if (typeof body === 'string') return new Blob([body], { type: 'text/plain;charset=UTF-8' })
  const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body)
  return isBytes ? new Blob([body as Uint8Array<ArrayBuffer>]) : undefined
}

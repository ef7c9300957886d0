/** The bytes of a file, wherever a program has them. */

import { LatchkeyError } from '@latchkey/client'
import { kindOf } from '@latchkey/protocol'

/** A stream or an iterable is read once. */
export type FileSource =
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Uint8Array
  | ArrayBuffer

/** Said before anything is sent: a path given for its file would otherwise be uploaded as nothing, or fail deep inside. */
export function checkSource(source: unknown): asserts source is FileSource {
  const isSource =
    source instanceof Blob ||
    source instanceof ReadableStream ||
    source instanceof Uint8Array ||
    source instanceof ArrayBuffer ||
    typeof Object(source)[Symbol.asyncIterator] === 'function'
  if (isSource) return
  const expected = 'a Blob, a ReadableStream, an async iterable of Uint8Array, or bytes'
  const advice =
    typeof source === 'string'
      ? ' For the file at a path write await openAsBlob(path), of the fs module; for a text write new Blob([text]).'
      : ''
  throw new LatchkeyError(
    'bad_option',
    `source must be ${expected}, and is ${kindOf(source)}.${advice}`,
  )
}

/** How much of a `Blob` is read at once. */
const partBytes = 1024 * 1024

/** In bytes; undefined for what is read once. */
export function lengthOf(source: FileSource): number | undefined {
  if (source instanceof Blob) return source.size
  return 'byteLength' in source ? source.byteLength : undefined
}

/** Releases the source when the reader stops, and when the signal is aborted. */
export function partsOf(source: FileSource, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (source instanceof ReadableStream) return readStream(source, signal)
  if (source instanceof Blob) return readBlob(source, signal)
  if ('byteLength' in source) return readBlob(new Blob([source as ArrayBuffer]), signal)
  return readIterable(source, signal)
}

/** Each part is read asynchronously, so that a large source in memory yields to the event loop. */
async function* readBlob(blob: Blob, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += partBytes) {
    signal.throwIfAborted()
    yield new Uint8Array(await blob.slice(at, at + partBytes).arrayBuffer())
  }
}

/** Not every browser iterates over a stream. */
async function* readStream(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  const leave = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', leave, { once: true })
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      signal.throwIfAborted()
      yield bytesIn(read.value)
    }
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
}

async function* readIterable(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const part of source) {
    signal.throwIfAborted()
    yield bytesIn(part)
  }
}

function bytesIn(part: unknown): Uint8Array {
  if (part instanceof Uint8Array) return part
  throw new LatchkeyError(
    'bad_option',
    `source must have parts of Uint8Array, and one of them is ${kindOf(part)}.`,
  )
}

/** A stream of bytes that tells how many have passed. */

export type OnProgress = (bytes: number, total: number | undefined) => void

export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

export interface Counted {
  readonly stream: ReadableStream<Uint8Array>
  /** Why the source broke, once it has. */
  failure(): { readonly reason: unknown } | undefined
}

export function countBytes(
  source: ByteSource,
  total: number | undefined,
  onProgress: OnProgress = () => {},
): Counted {
  const parts = partsOf(source)
  let bytes = 0
  let failure: { reason: unknown } | undefined
  onProgress(0, total)
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await parts.next()
        if (done) return controller.close()
        if (!(value instanceof Uint8Array)) throw new TypeError('a body stream holds bytes only')
        bytes += value.byteLength
        controller.enqueue(value)
        onProgress(bytes, total)
      } catch (reason) {
        failure = { reason }
        throw reason
      }
    },
    cancel: (reason) => parts.cancel(reason),
  })
  return { stream, failure: () => failure }
}

interface Parts {
  next(): Promise<IteratorResult<Uint8Array, unknown>>
  cancel(reason: unknown): Promise<void>
}

/** Not every browser iterates over a stream. */
function partsOf(source: ByteSource): Parts {
  if (source instanceof ReadableStream) {
    const reader = source.getReader()
    return {
      next: () => reader.read() as Promise<IteratorResult<Uint8Array, unknown>>,
      cancel: (reason) => reader.cancel(reason),
    }
  }
  const parts = source[Symbol.asyncIterator]()
  return { next: () => parts.next(), cancel: async () => void (await parts.return?.()) }
}

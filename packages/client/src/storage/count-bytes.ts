export type OnProgress = (bytes: number, total: number | undefined) => void

export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

interface CountedStream {
  readonly stream: ReadableStream<Uint8Array>
  /** Why the source broke, once it has. */
  failure(): { readonly reason: unknown } | undefined
  /** Breaks the stream off where it is, and lets its source go. */
  stop(reason?: unknown): void
}

export function countBytes(
  source: ByteSource,
  total: number | undefined,
  onProgress: OnProgress = () => {},
): CountedStream {
  // Not every browser iterates over a stream, and none is made of an iterable there.
  const stream = source instanceof ReadableStream ? source : ReadableStream.from(source)
  const parts = stream.getReader()
  const leave = (reason: unknown) => parts.cancel(reason).catch(() => {})
  let controller: { error(reason: unknown): void } | undefined
  let bytes = 0
  let isLeft = false
  let failure: { reason: unknown } | undefined
  onProgress(0, total)
  const counted = new ReadableStream<Uint8Array>({
    start(streamController) {
      controller = streamController
    },
    async pull(controller) {
      try {
        const { done, value } = await parts.read()
        if (done) return controller.close()
        if (!(value instanceof Uint8Array)) throw new TypeError('a body holds bytes only')
        bytes += value.byteLength
        controller.enqueue(value)
        onProgress(bytes, total)
      } catch (reason) {
        if (!isLeft) failure = { reason }
        // Where a callback broke, the source is whole, and would hold what it comes from.
        leave(reason)
        throw reason
      }
    },
    cancel(reason) {
      isLeft = true
      return leave(reason)
    },
  })
  return {
    stream: counted,
    failure: () => failure,
    stop(reason) {
      // Before its source ends: a stream that ended early would pass for a whole one.
      controller?.error(reason)
      leave(reason)
    },
  }
}

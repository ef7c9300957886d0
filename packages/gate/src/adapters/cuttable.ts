/** Passes a body on until a signal is aborted; then its reader fails, so that nobody takes the part for the whole. */

export interface Cuttable {
  readonly stream: ReadableStream<Uint8Array>
  /** Resolves when nothing more passes, for whatever reason. */
  readonly over: Promise<void>
}

/** The source is cancelled when the signal is aborted, and when the reader of the stream leaves. */
export function cuttable(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  length?: number,
): Cuttable {
  const { readable, writable } = passage(length)
  const over = body.pipeTo(writable, { signal }).catch(() => {})
  return { stream: readable, over }
}

type Passage = TransformStream<Uint8Array, Uint8Array>

interface WorkerStreams {
  readonly IdentityTransformStream?: new () => Passage
  readonly FixedLengthStream?: new (length: number) => Passage
}

/** workerd sends Content-Length only for a stream that knows its length, and moves bytes faster through its own kinds. */
function passage(length: number | undefined): Passage {
  const { FixedLengthStream, IdentityTransformStream } = globalThis as WorkerStreams
  if (FixedLengthStream !== undefined && length !== undefined) return new FixedLengthStream(length)
  return IdentityTransformStream === undefined
    ? new TransformStream()
    : new IdentityTransformStream()
}

/** A file's content, or a range of it, as a stream. */

import type { GitTools } from './git-tools.ts'
import { hashArgument, type ObjectHash } from './object-hash.ts'

export interface BlobRange {
  readonly start: number
  /** Not included. */
  readonly end: number
}

export interface BlobRequest {
  readonly range?: BlobRange | undefined
  readonly signal?: AbortSignal | undefined
}

export interface OpenBlob {
  /** Bytes of the whole file. */
  readonly size: number
  bytes(): AsyncGenerator<Uint8Array, void, undefined>
}

/** Smaller content comes from the reader that all share. Larger content has a process of its own, so that a slow client holds up no one. */
const maxSharedBytes = 256 * 1024
/** For a client that is slow. */
const deadlineMs = 3_600_000

/** Undefined if there is no file of this hash. */
export async function streamBlob(
  { commands, objects }: GitTools,
  hash: ObjectHash,
  { range, signal }: BlobRequest = {},
): Promise<OpenBlob | undefined> {
  const [info] = await objects.infoOf([hash])
  if (info?.kind !== 'blob') return undefined
  const { size } = info
  const hasProcess = size > maxSharedBytes
  const byteRange = { start: range?.start ?? 0, end: Math.min(range?.end ?? size, size) }
  const whole = async function* () {
    signal?.throwIfAborted()
    if (!hasProcess) {
      const blob = await objects.read(hash, maxSharedBytes)
      if (blob !== undefined) yield blob.bytes
      return
    }
    const args = ['cat-file', 'blob', hashArgument(hash)]
    const limits = { deadlineMs, maxBytes: size, signal, waitsForClient: true }
    const git = await commands.start(args, limits)
    git.stdin.end()
    yield* git.largeOutput()
  }
  return { size, bytes: () => cut(whole(), byteRange) }
}

/** git can only read a file from its beginning. */
async function* cut(
  parts: AsyncIterable<Uint8Array>,
  { start, end }: BlobRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (start >= end) return
  let at = 0
  for await (const part of parts) {
    const piece = part.subarray(Math.max(0, start - at), Math.max(0, end - at))
    at += part.length
    if (piece.length > 0) yield piece
    if (at >= end) return
  }
}

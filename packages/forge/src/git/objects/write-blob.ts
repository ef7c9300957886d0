import type { GitCommands } from '../process/git-commands.ts'
import { GitFailed } from '../process/git-errors.ts'
import { type ObjectHash, readHash } from './object-hash.ts'

export interface BlobBounds {
  /** git holds all of it in memory. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

/** Content that is still on its way comes as fast as its client sends it. */
const clientPace = { waitsForClient: true, deadlineMs: 3_600_000 }
const usualMostBytes = 64 * 1024 * 1024

export interface BlobTools {
  readonly commands: GitCommands
  /** By a process that waits for content. */
  readonly storeBlob: (content: Uint8Array) => Promise<ObjectHash>
}

/** Larger content has a process of its own: one for all would be held up by it. */
const maxSharedBytes = 256 * 1024

/** Content that breaks off or is too large is not stored. */
export async function writeBlob(
  { commands, storeBlob }: BlobTools,
  content: AsyncIterable<Uint8Array> | Uint8Array,
  { maxBytes = usualMostBytes, signal }: BlobBounds = {},
): Promise<ObjectHash> {
  const isThere = content instanceof Uint8Array
  if (isThere && content.length <= Math.min(maxBytes, maxSharedBytes)) {
    signal?.throwIfAborted()
    const hash = await storeBlob(content)
    commands.wrote(hash)
    return hash
  }
  const parts = isThere ? [content] : content
  const args = ['hash-object', '-t', 'blob', '-w', '--stdin']
  const output = await commands.run(args, bounded(parts, maxBytes), {
    signal,
    ...(isThere ? {} : clientPace),
  })
  const hash = readHash(output.toString('latin1'))
  commands.wrote(hash)
  return hash
}

async function* bounded(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0
  for await (const part of parts) {
    bytes += part.length
    if (bytes > maxBytes)
      throw new GitFailed('too-large', `takes files of at most ${maxBytes} bytes here`)
    yield part
  }
}

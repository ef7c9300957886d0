/** Reads a run of bytes of a file, through two buffers that take turns. */

import { type FileHandle, open } from 'node:fs/promises'
import { objectThere } from '../file-errors.ts'
import { DamagedObject } from '../object-store.ts'

export interface BytesToRead {
  readonly file: string
  readonly start: number
  /** The last one is included. */
  readonly end: number
}

/** A part is good until the next is asked for. */
export async function* readBytes(
  { file, start, end }: BytesToRead,
  memory: ReadBuffers,
): AsyncGenerator<Uint8Array, void, void> {
  const handle = await objectThere(open(file, 'r'))
  const pair = memory.take()
  let isOver = false
  try {
    yield* readThrough(pair, { handle, start, end })
    isOver = true
  } finally {
    if (isOver) memory.give(pair)
    else memory.lose(pair)
    await handle.close()
  }
}

interface OpenedBytes extends Pick<BytesToRead, 'start' | 'end'> {
  readonly handle: FileHandle
}

/** One buffer is filled while the other one is used. */
async function* readThrough(
  [one, other]: BufferPair,
  { handle, start, end }: OpenedBytes,
): AsyncGenerator<Uint8Array, void, void> {
  const { length } = one
  const readFrom = (position: number, into: Buffer) =>
    readWhole(handle, into.subarray(0, end + 1 - position), position)
  let [reading, rest] = [readFrom(start, one), other]
  for (let next = start + length; next <= end; next += length) {
    const part = await reading
    reading = readFrom(next, rest)
    // Whoever leaves here does not wait for it.
    reading.catch(() => {})
    yield part
    rest = rest === one ? other : one
  }
  yield await reading
}

async function readWhole(handle: FileHandle, into: Buffer, position: number): Promise<Buffer> {
  let read = 0
  while (read < into.length) {
    const { bytesRead } = await handle.read(into, read, into.length - read, position + read)
    if (bytesRead === 0) throw new DamagedObject('a stored object ends before its bytes do')
    read += bytesRead
  }
  return into
}

/** Each buffer that is filled crosses to a thread and back, so that large ones take less of the processor. */
const largeLength = 256 * 1024
/** As much as a stream of Node reads at once. */
const smallLength = 64 * 1024
/** Clients that read slowly hold theirs for long: 32 MiB are held in this way, and the rest are small. */
const maxLarge = 64

export type BufferPair = readonly [Buffer, Buffer]

export interface ReadBuffers {
  /** Takes two buffers of the same length. */
  take(): BufferPair
  /** Returns buffers that are no longer read or filled. */
  give(pair: BufferPair): void
  /** Something may still read or fill them, so they are not used again. */
  lose(pair: BufferPair): void
}

/** New memory for each read would have the whole heap searched for garbage all the time. */
export function readBuffers(): ReadBuffers {
  const free: BufferPair[] = []
  let large = 0
  return {
    take() {
      const pair = free.pop()
      if (pair !== undefined) return pair
      if (large === maxLarge) return pairOf(smallLength)
      large += 1
      return pairOf(largeLength)
    },
    give(pair) {
      if (isLarge(pair)) free.push(pair)
    },
    lose(pair) {
      if (isLarge(pair)) large -= 1
    },
  }
}

function pairOf(length: number): BufferPair {
  return [Buffer.allocUnsafeSlow(length), Buffer.allocUnsafeSlow(length)]
}

function isLarge([one]: BufferPair): boolean {
  return one.length === largeLength
}

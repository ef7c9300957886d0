/** Reads a run of bytes of a file, through two buffers that take turns. */

import { type FileHandle, open } from 'node:fs/promises'
import { objectThere } from '../file-errors.ts'
import { DamagedObject } from '../object-store.ts'
import type { BufferPair, Buffers } from './buffers.ts'

export interface BytesToRead {
  readonly file: string
  readonly start: number
  /** The last one is included. */
  readonly end: number
}

/** A part is good until the next is asked for. */
export async function* readBytes(
  { file, start, end }: BytesToRead,
  memory: Buffers,
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

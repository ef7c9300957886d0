/** Writes chunks at their positions: those that stand next to each other at once. */

import type { FileHandle } from 'node:fs/promises'
import type { FoundChunks } from '@latchkey/xet'
import { eachOf } from './each-of.ts'

interface Stretch {
  readonly position: number
  readonly parts: Uint8Array[]
  end: number
}

/** Gives how many bytes were written. */
export async function writeChunks(
  file: FileHandle,
  { chunks }: Pick<FoundChunks, 'chunks'>,
): Promise<number> {
  const stretches = [...stretchesOf(chunks)]
  await eachOf(stretches, atOnce, (stretch) => writeStretch(file, stretch))
  return stretches.reduce((sum, { position, end }) => sum + end - position, 0)
}

/** Content that a file has in several places is written to two of them at once. */
const atOnce = 2

function stretchesOf(chunks: FoundChunks['chunks']): Iterable<Stretch> {
  const byEnd = new Map<number, Stretch>()
  for (const { bytes, positions } of chunks) {
    for (const position of positions) {
      const stretch = byEnd.get(position) ?? { position, parts: [], end: position }
      byEnd.delete(position)
      stretch.parts.push(bytes)
      stretch.end += bytes.length
      byEnd.set(stretch.end, stretch)
    }
  }
  return byEnd.values()
}

/** A disk that is nearly full takes a part, and refuses the rest. */
async function writeStretch(file: FileHandle, { position, parts, end }: Stretch): Promise<void> {
  const { bytesWritten } = await file.writev(parts, position)
  let written = position + bytesWritten
  if (written === end) return
  const whole = Buffer.concat(parts)
  while (written < end) {
    written += (await file.write(whole, written - position, end - written, written)).bytesWritten
  }
}

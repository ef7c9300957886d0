/** How long a shard that registers files becomes, worked out before it is written. */

import { rowLength } from './shard-layout.ts'

/** The header, and a bookend each behind the files and the xorbs. */
export const emptyShardLength = 3 * rowLength

/** A row of its own, two for each term, and the SHA-256. */
export function fileLength(terms: number): number {
  return (2 + 2 * terms) * rowLength
}

/** A row of its own, and one for each chunk. */
export function xorbLength(chunks: number): number {
  return (1 + chunks) * rowLength
}

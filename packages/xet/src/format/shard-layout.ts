/** What all shards have in common: rows of 48 bytes between a header and, sometimes, a footer. */

import { sameBytes } from './same-bytes.ts'

// biome-ignore format: read as blocks
export const shardTag = Uint8Array.from([
   72,  70,  82, 101, 112, 111,  77, 101, 116,  97,  68,  97, 116,  97,   0,  85,
  105, 103,  69, 106, 123, 129,  87, 131, 165, 189, 217,  92, 205, 209,  74, 169,
])

export const shardVersion = 2n
export const footerVersion = 1n

/** The header is as long as a row; so are headers of files and xorbs, and what follows them. */
export const rowLength = 48
export const footerLength = 200

/** Said of a file: its terms are followed by the hashes of their runs, and by a SHA-256. */
export const withRanges = 0x80000000
export const withSha256 = 0x40000000

/** Said of a chunk: clients may ask for it although its hash does not show it. */
export const withQuestions = 0x80000000

/** Ends the files, and the xorbs. */
export const bookend = new Uint8Array(rowLength).fill(0xff, 0, 32)

export function isBookend(row: Uint8Array): boolean {
  return sameBytes(row.subarray(0, 32), bookend.subarray(0, 32))
}

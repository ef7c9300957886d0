/** A part of a file: a run of chunks of one xorb. */

import type { Hash } from './hash.ts'

/** A run of chunks of one xorb: `start` to before `end`. */
export interface Term {
  readonly xorb: Hash
  readonly start: number
  readonly end: number
  readonly unpackedBytes: number
}

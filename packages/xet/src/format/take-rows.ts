/** Takes rows within the limits of a shard, or says where that ended. */

import { type Flaw, flaw } from './flaw.ts'
import { mostShardBytes } from './limits.ts'
import type { RowReader } from './row-reader.ts'
import { rowLength } from './shard-layout.ts'

export interface ShardLimits {
  readonly bytes: number
  /** Terms of one file: they are held together. */
  readonly terms: number
}

export const shardLimits: ShardLimits = { bytes: mostShardBytes, terms: 131_072 }

export async function takeRows(
  reader: RowReader,
  count: number,
  limits: ShardLimits,
): Promise<Uint8Array | Flaw> {
  if (reader.offset + count * rowLength > limits.bytes) return tooLong(limits)
  return (await reader.take(count)) ?? cutOff(reader)
}

/** Of the row that was taken last. */
export function flawedRow(reader: RowReader, what: string): Flaw {
  return flawAt(reader.offset - rowLength, what)
}

export function flawAt(offset: number, what: string): Flaw {
  return flaw(`The shard is flawed at byte ${offset}: ${what}.`)
}

export function cutOff(reader: RowReader): Flaw {
  return flaw(`The shard is cut off at byte ${reader.offset}.`)
}

export function tooLong({ bytes }: ShardLimits): Flaw {
  return flaw(`The shard is longer than the ${bytes} bytes that one may have.`)
}

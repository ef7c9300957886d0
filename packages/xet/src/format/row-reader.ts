/** Takes rows out of bytes that arrive as they like. */

import { joinBytes } from './bytes.ts'
import { type FormatError, formatError } from './format-error.ts'
import { maxShardBytes } from './limits.ts'
import { rowLength } from './shard-rows.ts'

export interface RowReader {
  /** How much was taken so far. */
  readonly offset: number
  /** So many rows; undefined when the bytes end before. Memory grows with what arrives, not with what is asked for. */
  take(rows: number): Promise<Uint8Array | undefined>
  /** Takes all that is left without keeping it; gives how much it was. */
  drain(): Promise<number>
  close(): Promise<void>
}

export function rowReader(source: AsyncIterable<Uint8Array>): RowReader {
  const parts = source[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array(0)
  let offset = 0
  const next = async (): Promise<boolean> => {
    const { done, value } = await parts.next()
    held = done ? new Uint8Array(0) : value
    return !done
  }
  return {
    get offset() {
      return offset
    },
    async take(rows) {
      const parts: Uint8Array[] = []
      let missing = rows * rowLength
      while (missing > 0) {
        if (held.length === 0 && !(await next())) return undefined
        const part = held.subarray(0, missing)
        held = held.subarray(part.length)
        missing -= part.length
        offset += part.length
        parts.push(part)
      }
      return joinBytes(parts)
    },
    async drain() {
      let drained = held.length
      while (await next()) drained += held.length
      offset += drained
      return drained
    },
    async close() {
      await parts.return?.()
    },
  }
}

export interface ShardLimits {
  readonly bytes: number
  /** Terms of one file: they are held together. */
  readonly terms: number
}

export const shardLimits: ShardLimits = { bytes: maxShardBytes, terms: 131_072 }

export async function takeRows(
  reader: RowReader,
  count: number,
  limits: ShardLimits,
): Promise<Uint8Array | FormatError> {
  if (reader.offset + count * rowLength > limits.bytes) return tooLong(limits)
  return (await reader.take(count)) ?? cutOff(reader)
}

/** An error in the row that was taken last. */
export function flawedRow(reader: RowReader, what: string): FormatError {
  return flawAt(reader.offset - rowLength, what)
}

export function flawAt(offset: number, what: string): FormatError {
  return formatError(`The shard has a format error at byte ${offset}: ${what}.`)
}

export function cutOff(reader: RowReader): FormatError {
  return formatError(`The shard is cut off at byte ${reader.offset}.`)
}

export function tooLong({ bytes }: ShardLimits): FormatError {
  return formatError(`The shard is longer than the ${bytes} bytes that one may have.`)
}

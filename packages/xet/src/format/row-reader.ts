/** Takes rows out of bytes that arrive as they like. */

import { joinBytes } from './join-bytes.ts'
import { rowLength } from './shard-layout.ts'

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
      const taken: Uint8Array[] = []
      let missing = rows * rowLength
      while (missing > 0) {
        if (held.length === 0 && !(await next())) return undefined
        const part = held.subarray(0, missing)
        held = held.subarray(part.length)
        missing -= part.length
        offset += part.length
        taken.push(part)
      }
      return joinBytes(taken)
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

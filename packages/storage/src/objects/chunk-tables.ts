/** Chunk tables as they are stored: believed only where they are whole, and kept in memory for a while. */

import { ChunkTable, rowsLengthOf, tableTrailerLength } from '@latchkey/xet/format'
import { LRUCache } from 'lru-cache'
import { DamagedObject, type ObjectKey } from './object-store.ts'

/** Reads a table that is an object of its own. */
export function decodeTable(bytes: Buffer): ChunkTable {
  const rowsLength = bytes.length - tableTrailerLength
  if (rowsLength <= 0) throw damaged()
  const trailer = bytes.subarray(rowsLength)
  if (rowsLengthOf(trailer) !== rowsLength) throw damaged()
  return tableOf(bytes.subarray(0, rowsLength), trailer)
}

export function tableOf(rows: Buffer, trailer: Buffer): ChunkTable {
  const table = new ChunkTable(rows)
  const isWhole = trailer.equals(table.encoded().subarray(rows.length)) && isAscending(table)
  if (!isWhole) throw damaged()
  return table
}

function isAscending(table: ChunkTable): boolean {
  for (let index = 0; index < table.count; index += 1) {
    if (table.packedEnd(index) <= table.packedStart(index)) return false
  }
  return true
}

export function damaged(): DamagedObject {
  return new DamagedObject('a stored object is damaged: its chunk table does not fit its bytes')
}

type TableOf = (key: ObjectKey) => Promise<ChunkTable>

/** A key never has other bytes, so that nothing needs to be forgotten. */
export function rememberTables(read: TableOf, maxBytes: number): TableOf {
  const tables = new LRUCache<ObjectKey, ChunkTable>({
    maxSize: maxBytes,
    sizeCalculation: ({ size }) => size,
    fetchMethod: read,
    // Making room for others must not fail whoever waits for this one.
    ignoreFetchAbort: true,
  })
  return (key) => tables.forceFetch(key)
}

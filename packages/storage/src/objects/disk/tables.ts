/** The chunk table behind the bytes of an object: believed only where it fits them, and kept in memory for a while. */

import { type FileHandle, open } from 'node:fs/promises'
import { ChunkTable, rowsLengthOf, tableTrailerLength } from '@latchkey/xet/format'
import { LRUCache } from 'lru-cache'
import { DamagedObject, type ObjectKey } from '../object-store.ts'

export async function readTable(file: string): Promise<ChunkTable> {
  const handle = await open(file, 'r')
  try {
    return await tableIn(handle)
  } finally {
    await handle.close()
  }
}

async function tableIn(handle: FileHandle): Promise<ChunkTable> {
  const rowsEnd = (await handle.stat()).size - tableTrailerLength
  if (rowsEnd < 0) throw damaged()
  const trailer = await bytesAt(handle, rowsEnd, tableTrailerLength)
  const rowsLength = rowsLengthOf(trailer)
  // Before anything of that length is allocated.
  if (rowsLength === undefined || rowsLength === 0 || rowsLength > rowsEnd) throw damaged()
  const packedBytes = rowsEnd - rowsLength
  const rows = await bytesAt(handle, packedBytes, rowsLength)
  const table = new ChunkTable(rows)
  const isWhole =
    table.packedBytes === packedBytes &&
    trailer.equals(table.encoded().subarray(rowsLength)) &&
    isAscending(table)
  if (!isWhole) throw damaged()
  return table
}

function isAscending(table: ChunkTable): boolean {
  for (let index = 0; index < table.count; index += 1) {
    if (table.packedEnd(index) <= table.packedStart(index)) return false
  }
  return true
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, position + read)
    if (bytesRead === 0) throw damaged()
    read += bytesRead
  }
  return bytes
}

function damaged(): DamagedObject {
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

/** Reads the chunk table behind the bytes of an object: believed only where it fits them. */

import { type FileHandle, open } from 'node:fs/promises'
import { type ChunkTable, rowsLengthOf, tableTrailerLength } from '@latchkey/xet/format'
import { damaged, tableOf } from '../chunk-tables.ts'
import { objectThere } from '../file-errors.ts'

export async function readTable(file: string): Promise<ChunkTable> {
  const handle = await objectThere(open(file, 'r'))
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
  const table = tableOf(rows, trailer)
  if (table.packedBytes !== packedBytes) throw damaged()
  return table
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

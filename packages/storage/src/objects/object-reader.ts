/** Looks at objects without changing any, as threads do; nothing is kept in memory. */

import { stat } from 'node:fs/promises'
import { ifThere } from './file-errors.ts'
import { placeOf } from './object-places.ts'
import type { ObjectStore } from './object-store.ts'
import { readTable } from './read-table.ts'

export type ObjectReader = Pick<ObjectStore, 'has' | 'table'>

export function objectReader(root: string): ObjectReader {
  return {
    has: async (digest) => (await sizeOf(placeOf(root, digest).file)) !== undefined,
    table: (digest) => readTable(placeOf(root, digest).file),
  }
}

/** Undefined when there is no such file. */
export async function sizeOf(file: string): Promise<number | undefined> {
  return (await ifThere(stat(file)))?.size
}

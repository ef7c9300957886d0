/** Looks at objects without changing any, as threads do; nothing is kept in memory. */

import { stat } from 'node:fs/promises'
import { ifThere } from './file-errors.ts'
import { placeOf } from './object-places.ts'
import type { Digest, ObjectStore } from './object-store.ts'
import { readTable } from './read-table.ts'

export type ObjectReader = Pick<ObjectStore, 'has' | 'table'>

export function objectReader(root: string): ObjectReader {
  return {
    has: async (digest) => (await sizeOf(...filesOf(root, digest))) !== undefined,
    table: (digest) => readTable(...filesOf(root, digest)),
  }
}

/** Where an object may lie. */
export function filesOf(root: string, digest: Digest): readonly string[] {
  const { file, oldFile } = placeOf(root, digest)
  return [file, oldFile]
}

/** Of the first file that is there. */
export async function sizeOf(...files: readonly string[]): Promise<number | undefined> {
  for (const file of files) {
    const status = await ifThere(stat(file))
    if (status !== undefined) return status.size
  }
  return undefined
}

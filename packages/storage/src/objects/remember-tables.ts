/** Keeps the chunk tables that were read last in memory. */

import type { ChunkTable } from '@latchkey/xet/format'
import { LRUCache } from 'lru-cache'
import type { Digest } from './object-store.ts'

export interface RememberedTables {
  table(digest: Digest): Promise<ChunkTable>
  forget(digest: Digest): void
}

export function rememberTables(
  read: (digest: Digest) => Promise<ChunkTable>,
  mostBytes: number,
): RememberedTables {
  const tables = new LRUCache<Digest, ChunkTable>({
    maxSize: mostBytes,
    sizeCalculation: ({ size }) => size,
    fetchMethod: read,
    // Making room for others must not fail whoever waits for this one.
    ignoreFetchAbort: true,
  })
  return {
    table: (digest) => tables.forceFetch(digest),
    forget: (digest) => void tables.delete(digest),
  }
}

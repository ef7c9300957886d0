/** Which of some xorbs no file of their repository is made of. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { StorageTables } from '../catalog/schema.ts'
import { Terms } from '../catalog/terms.ts'
import { fileWatch } from './file-watch.ts'

export interface UnusedXorbs {
  /** Shrinks with every look. */
  readonly hashes: ReadonlySet<Hash>
  readonly look: (tables: StorageTables) => Promise<void>
}

export function unusedXorbs(repositoryUid: RepositoryUid, candidates: Iterable<Hash>): UnusedXorbs {
  const hashes = new Set(candidates)
  const look = fileWatch(repositoryUid, ({ terms }) => {
    for (const { xorb } of new Terms(terms)) hashes.delete(xorb)
  })
  return { hashes, look }
}

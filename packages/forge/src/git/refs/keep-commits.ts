/** Commits that refs leave are kept: clients may have their hashes. */

import { type CommitHash, type NoCommit, noCommit } from '@latchkey/protocol'
import type { ObjectHash } from '../objects/object-hash.ts'
import type { Objects } from '../objects/objects.ts'
import type { RefChange } from './ref-change.ts'
import { keepRef } from './ref-names.ts'

/** The changes that keep those of them that are here; to be made with the change by which a ref leaves them. */
export async function keeping(
  objects: Pick<Objects, 'infoOf'>,
  left: readonly (ObjectHash | NoCommit | undefined)[],
): Promise<readonly RefChange[]> {
  const hashes = left.filter((hash) => hash !== undefined && hash !== noCommit) as ObjectHash[]
  const infos = await objects.infoOf([...new Set(hashes)])
  return infos
    .filter((info) => info?.kind === 'commit')
    .map((info) => info?.hash as CommitHash)
    .map((commit) => ({ ref: keepRef(commit), old: undefined, new: commit }))
}

/** Gives large files to a ref, so that it has them whatever becomes of the refs that they came from. */

import type { IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { AskStorage } from '../large-files/ask-storage.ts'
import type { Pointer } from '../words/pointer.ts'
import { findContent } from './find-content.ts'

export interface Adoption {
  /** Writes to the ref. */
  readonly to: IssuedStorageToken
  /** See the content. The storage takes seven at most. */
  readonly through: readonly IssuedStorageToken[]
}

/**
 * Content that none of the tokens sees is left out: it was lost before, or is not for this caller. A lost file must not
 * keep a branch from being made or deleted.
 */
export async function adoptFiles(
  storage: AskStorage,
  files: readonly Pointer[],
  { to, through }: Adoption,
): Promise<Refusal | undefined> {
  const found = await findContent(storage, files, through)
  if (isRefusal(found)) return found
  const hashes = new Set(found.filter((hash) => hash !== undefined))
  return storage.adopt(to, [...hashes], through)
}

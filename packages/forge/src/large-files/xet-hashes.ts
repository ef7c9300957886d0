/** Under which hashes the storage has the large files of a listing, remembered for each caller. */

import { setTimeout as delay } from 'node:timers/promises'
import type {
  CallerQuestions,
  IssuedStorageToken,
  PermittedRevision,
} from '@latchkey/admin-api/forge-port'
import { isRefusal, type Revision } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/cache'
import type { ObjectHash } from '../git/index.ts'
import { type LfsOid, type Pointer, parseLfsOid } from '../words/pointer.ts'
import type { AskStorage, FileHash } from './ask-storage.ts'
import type { DescribedFile } from './describe-files.ts'

export interface XetHashes {
  /**
   * Leaves out hashes that the storage does not send in time: clients then ask for the file itself.
   */
  addTo(files: readonly DescribedFile[], listing: Listing): Promise<readonly DescribedFile[]>
}

export interface Listing {
  readonly hub: Pick<CallerQuestions, 'storageToken'>
  readonly permitted: PermittedRevision
  readonly revision: Revision
}

const maxRemembered = 50_000
const atATime = 16
const patienceMs = 10_000

/**
 * A pointer can be written by anyone who knows a SHA-256. So an answer that one account got tells another account nothing,
 * not even that the content is in the repository.
 */
export function xetHashes(storage: Pick<AskStorage, 'find'>): XetHashes {
  const remembered = new GrowingCache<string, FileHash>({ most: maxRemembered })
  return {
    async addTo(files, { hub, permitted: { repo, repositoryUid, accountId }, revision }) {
      const keyOf = (blob: ObjectHash) => `${repositoryUid} ${accountId} ${blob}`
      const missing = new Map<string, Pointer>()
      for (const { oid, lfs } of files) {
        const pointer = lfs && { oid: parseLfsOid(lfs.oid) as LfsOid, sizeBytes: lfs.size }
        if (pointer && remembered.get(keyOf(oid)) === undefined) missing.set(keyOf(oid), pointer)
      }
      if (missing.size > 0) {
        const token = await hub.storageToken({ repo, revision, scope: 'read' })
        if (!isRefusal(token)) await lookUp(storage, token, { missing, remembered })
      }
      return files.map((file) => {
        const xetHash = file.lfs && remembered.get(keyOf(file.oid))
        return xetHash === undefined ? file : { ...file, xetHash }
      })
    },
  }
}

interface LookUp {
  readonly missing: ReadonlyMap<string, Pointer>
  readonly remembered: GrowingCache<string, FileHash>
}

async function lookUp(
  { find }: Pick<AskStorage, 'find'>,
  token: IssuedStorageToken,
  { missing, remembered }: LookUp,
): Promise<void> {
  const over = new AbortController()
  const waiting = missing.entries()
  const work = async () => {
    for (const [key, pointer] of waiting) {
      const hash = await find(token, pointer)
      if (hash !== undefined && !isRefusal(hash)) remembered.set(key, hash)
      // A storage that does not answer one question does not answer the next.
      if (isRefusal(hash) || over.signal.aborted) return
    }
  }
  const late = delay(patienceMs, undefined, { signal: over.signal })
  await Promise.race([Promise.all(Array.from({ length: atATime }, work)), late])
  over.abort()
  await late.catch(() => {})
}

/** Finds large files through the refs that a caller may read. */

import type {
  CallerQuestions,
  IssuedStorageToken,
  ReadableRefs,
} from '@latchkey/admin-api/forge-port'
import { isRefusal, type RefName, type Refusal, type RepoRef } from '@latchkey/protocol'
import type { LfsOid } from '../words/pointer.ts'
import type { AskStorage, FileHash } from './ask-storage.ts'
import { isNone } from './open-revision.ts'

export interface Finding {
  readonly hub: Pick<CallerQuestions, 'storageToken'>
  readonly storage: Pick<AskStorage, 'find'>
  readonly repo: RepoRef
  readonly readable: ReadableRefs
  /** Tried first. */
  readonly ref: RefName | undefined
  /** Over all refs. */
  readonly maxLookups?: number
}

export interface LargeObject {
  readonly oid: LfsOid
  readonly size: number
}

/** A large file, and a read token of the caller that sees it. */
export interface FoundObject {
  readonly hash: FileHash
  readonly token: IssuedStorageToken
}

export type ObjectKey = `${LfsOid} ${number}`

/** The key has the size too, because the storage found the file by hash and size. */
export function keyOf({ oid, size }: LargeObject): ObjectKey {
  return `${oid} ${size}`
}

/** A checkout of an old commit may need files that no branch has in its tree any more; their refs still have them. */
const maxRefs = 32
const usualMaxLookups = 1000
const atATime = 8

export async function findObjects(
  finding: Finding,
  objects: readonly LargeObject[],
): Promise<ReadonlyMap<ObjectKey, FoundObject> | Refusal> {
  const { hub, storage, repo, maxLookups = usualMaxLookups } = finding
  const found = new Map<ObjectKey, FoundObject>()
  let left = maxLookups
  for (const name of refsInOrder(finding)) {
    const missing = objects.filter((object) => !found.has(keyOf(object)))
    left -= missing.length
    if (missing.length === 0 || left < 0) break
    const revision = { kind: 'ref', name } as const
    const token = await hub.storageToken({ repo, revision, scope: 'read' })
    // It may have been deleted meanwhile.
    if (isRefusal(token)) continue
    for (let at = 0; at < missing.length; at += atATime) {
      const group = missing.slice(at, at + atATime)
      const hashes = await Promise.all(
        group.map(({ oid, size }) => storage.find(token, { oid, sizeBytes: size })),
      )
      for (const [index, hash] of hashes.entries()) {
        if (isRefusal(hash)) return hash
        const object = group[index]
        if (object && hash !== undefined) found.set(keyOf(object), { hash, token })
      }
    }
  }
  return found
}

function refsInOrder({ readable, ref }: Finding): readonly RefName[] {
  const withCommit = [...readable.refs].filter(([, commit]) => !isNone(commit))
  const names = withCommit.map(([name]) => name)
  const first = names.filter((name) => name === ref)
  const main = names.filter((name) => name === 'refs/heads/main')
  return [...new Set([...first, ...main, ...names])].slice(0, maxRefs)
}

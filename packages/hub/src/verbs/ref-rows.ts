import { isMoving, readRef } from '@latchkey/admin-api'
import {
  type AccountId,
  type CommitHash,
  noCommit,
  type RefName,
  type RefUid,
  type RepositoryUid,
  refKind,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import type { RefChange } from '../tables/change.ts'
import type { NumberedWork, Reading } from '../tables/directory.ts'
import type { NewRefRow, RefRow, RepositoryRow } from '../tables/rows.ts'
import type { WantedCommit } from './record-commits.ts'

/** A repository holds at most this many refs. */
export const maxRefs = 10_000

interface NewRef {
  readonly name: RefName
  /** Without one it has the commit of its origin, or none yet. */
  readonly commit?: CommitHash | undefined
  readonly from?: Pick<NewRefRow, 'name' | 'uid' | 'commit_hash'> | undefined
  readonly uid?: RefUid | undefined
  readonly proposer?: AccountId | undefined
}

export function newRefRow(
  { now, number, randomBytes }: NumberedWork,
  repositoryUid: RepositoryUid,
  { name, commit, from, uid, proposer }: NewRef,
): NewRefRow {
  return {
    uid: uid ?? newId(randomBytes),
    repository_uid: repositoryUid,
    name,
    commit_hash: commit ?? from?.commit_hash ?? noCommit,
    from_name: from?.name ?? null,
    from_uid: from?.uid ?? null,
    forked_at: from === undefined ? null : now,
    forked_number: from === undefined ? null : number,
    proposer_id: proposer ?? null,
    created_at: now,
  }
}

interface Move {
  readonly repository: RepositoryRow
  readonly ref: RefRow
  readonly commit: CommitHash
}

/** The commit that goes on record because a ref points to it; empty while the ref has no commit. */
export function headOf(ref: NewRefRow): readonly WantedCommit[] {
  if (ref.commit_hash === noCommit) return []
  const holders = isMoving(ref.name as RefName) ? [ref] : []
  return [{ hash: ref.commit_hash as CommitHash, holders }]
}

/**
 * A ref that points to another commit. A tag is deleted and made again, so its uid is a new one: what was written under
 * the tag belonged to the commit that it leaves.
 */
export function moveRef(
  work: NumberedWork,
  { repository, ref, commit }: Move,
): { ref: NewRefRow; changes: RefChange[] } {
  if (ref.commit_hash === commit) return { ref, changes: [] }
  const name = ref.name as RefName
  if (isMoving(name)) {
    const moved = { ...ref, commit_hash: commit }
    return { ref: moved, changes: [{ thing: 'ref', before: ref, after: moved, repository }] }
  }
  const made = newRefRow(work, repository.uid, { name, commit })
  return {
    ref: made,
    changes: [
      { thing: 'ref', before: ref, repository },
      { thing: 'ref', after: made, repository },
    ],
  }
}

export function findRefRow(
  tables: Reading,
  repositoryUid: RepositoryUid,
  name: string,
): Promise<RefRow | undefined> {
  return tables
    .selectFrom('refs')
    .selectAll()
    .where('repository_uid', '=', repositoryUid)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** The tag of a branch's name or the branch of a tag's: both at once would hijack a revision. */
export function twinOf(name: RefName): RefName | undefined {
  switch (refKind(name)) {
    case 'branch':
      return readRef(`refs/tags/${name.slice('refs/heads/'.length)}`)
    case 'tag':
      return readRef(`refs/heads/${name.slice('refs/tags/'.length)}`)
    case 'other':
      return undefined
  }
}

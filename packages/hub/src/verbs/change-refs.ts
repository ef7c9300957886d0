/** Makes several refs of one repository as a plan says: the changes, and the commits that go on record with them. */

import type { CommitHash, RefName } from '@latchkey/protocol'
import type { Change } from '../tables/change.ts'
import type { NumberedWork } from '../tables/directory.ts'
import type { NewRefRow, RefRow, RepositoryRow } from '../tables/rows.ts'
import type { WantedCommit } from './record-commits.ts'
import { headOf, moveRef, newRefRow } from './ref-rows.ts'

export interface StoredRef extends RefRow {
  readonly name: RefName
}

interface MovedRef {
  readonly ref: StoredRef
  readonly commit: CommitHash
}

interface CreatedRef {
  readonly name: RefName
  readonly commit?: CommitHash | undefined
  readonly from?: RefName | undefined
}

export interface RefPlan {
  readonly deleted: readonly StoredRef[]
  readonly moved: readonly MovedRef[]
  /** Every ref after the one it is made from. */
  readonly created: readonly CreatedRef[]
  /** Refs that stay, moved or not; only those that the plan or its caller asks for need be here. */
  readonly remaining: ReadonlyMap<string, NewRefRow>
}

interface ToldRef {
  readonly name: string
  readonly did: 'created' | 'changed' | 'deleted'
}

export interface ChangedRefs {
  readonly made: Change[]
  readonly commits: WantedCommit[]
  /** The refs as they are afterwards. */
  readonly byName: Map<string, NewRefRow>
  readonly reports: ToldRef[]
}

export function changeRefs(
  work: NumberedWork,
  repository: RepositoryRow,
  { deleted, moved, created, remaining }: RefPlan,
): ChangedRefs {
  const made: Change[] = []
  const commits: WantedCommit[] = []
  const byName = new Map<string, NewRefRow>(remaining)
  const reports: ToldRef[] = []
  for (const before of deleted) {
    made.push({ thing: 'ref', before, repository })
    reports.push({ name: before.name, did: 'deleted' })
  }
  for (const { ref, commit } of moved) {
    const move = moveRef(work, { repository, ref, commit })
    made.push(...move.changes)
    byName.set(ref.name, move.ref)
    commits.push(...headOf(move.ref))
    reports.push({ name: ref.name, did: 'changed' })
  }
  for (const { name, commit, from } of created) {
    const origin = from === undefined ? undefined : byName.get(from)
    const after = newRefRow(work, repository.uid, { name, commit, from: origin })
    byName.set(name, after)
    made.push({ thing: 'ref', after, repository })
    commits.push(...headOf(after))
    reports.push({ name, did: 'created' })
  }
  return { made, commits, byName, reports }
}

/** The members for a changed ref in the response of an operation. */
export function toldOf({ path }: RepositoryRow, { name, did }: ToldRef) {
  return { what: 'ref' as const, name: `${path}@${name}`, did }
}

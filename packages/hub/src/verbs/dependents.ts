/**
 * Finds refs and commits that may lose content when refs are deleted: commits on record that the
 * refs had first, and refs that see their content.
 */

import { isMoving } from '@latchkey/admin-api'
import {
  type CommitHash,
  type NoCommit,
  noCommit,
  type RefName,
  type RefUid,
  type RepositoryUid,
} from '@latchkey/protocol'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { RefRow } from '../tables/rows.ts'

export interface Dependents {
  readonly commits: readonly DependentCommit[]
  /** Refs that stay. */
  readonly refs: readonly { readonly name: RefName; readonly commit: CommitHash | NoCommit }[]
  /** The deleted refs that others need. */
  readonly needed: ReadonlySet<RefUid>
}

interface DependentCommit {
  readonly hash: CommitHash
  /** Whether a ref that stays has it, too. */
  readonly isHeldElsewhere: boolean
}

type Deleted = Pick<RefRow, 'uid' | 'name'>

const none: Dependents = { commits: [], refs: [], needed: new Set() }

export async function findDependents(
  tables: Reading,
  repositoryUid: RepositoryUid,
  deleted: readonly Deleted[],
): Promise<Dependents> {
  // Tags hold nothing, so nothing depends on one.
  const holders = deleted.filter(({ name }) => isMoving(name as RefName)).map(({ uid }) => uid)
  if (holders.length === 0) return none
  const all = await tables
    .selectFrom('refs')
    .select(['uid', 'name', 'commit_hash', 'from_uid'])
    .where('repository_uid', '=', repositoryUid)
    .execute()
  const goes = new Set(deleted.map(({ uid }) => uid))
  const staying = all.filter(({ uid }) => !goes.has(uid))
  const forks = forksOf(holders, all)
  const commits = await firstHeldBy(tables, repositoryUid, new Set([...holders, ...forks]))
  const hashes = new Set<string>(commits.map(({ hash }) => hash))
  const refs = staying.filter(({ uid, commit_hash: hash }) => forks.has(uid) || hashes.has(hash))
  const needed = new Set<RefUid | null>([
    ...commits.map(({ first }) => first),
    ...staying.map(({ from_uid: origin }) => origin),
  ])
  return {
    commits: commits.map(({ hash, isHeldElsewhere }) => ({ hash, isHeldElsewhere })),
    refs: refs.map(({ name, commit_hash: commit }) => ({
      name: name as RefName,
      commit: commit === noCommit ? noCommit : (commit as CommitHash),
    })),
    needed: new Set(holders.filter((uid) => needed.has(uid))),
  }
}

interface Fork {
  readonly uid: RefUid
  readonly from_uid: RefUid | null
}

/** The refs that were made from them, and from those. */
function forksOf(origins: readonly RefUid[], refs: readonly Fork[]): ReadonlySet<RefUid> {
  const byOrigin = Map.groupBy(refs, ({ from_uid: from }) => from)
  const roots = new Set(origins)
  const forks = new Set<RefUid>()
  const next = [...roots]
  for (let uid = next.pop(); uid !== undefined; uid = next.pop()) {
    for (const fork of byOrigin.get(uid) ?? []) {
      if (forks.has(fork.uid) || roots.has(fork.uid)) continue
      forks.add(fork.uid)
      next.push(fork.uid)
    }
  }
  return forks
}

interface FirstHeld extends DependentCommit {
  /** The ref that had it first. */
  readonly first: RefUid
}

/** A ref that recorded the commit before has its content from elsewhere. */
async function firstHeldBy(
  tables: Reading,
  repositoryUid: RepositoryUid,
  refUids: ReadonlySet<RefUid>,
): Promise<readonly FirstHeld[]> {
  const commits = new Map<string, { first: RefUid; number: number; others: number[] }>()
  for (const some of chunked([...refUids])) {
    const rows = await tables
      .selectFrom('commit_holders')
      .select(['hash', 'ref_uid', 'recorded_number'])
      .where('ref_uid', 'in', some)
      .execute()
    for (const { hash, ref_uid: first, recorded_number: number } of rows) {
      const firstRecord = commits.get(hash)
      if (firstRecord === undefined || number < firstRecord.number) {
        commits.set(hash, { first, number, others: [] })
      }
    }
  }
  for (const some of chunked([...commits.keys()])) {
    const rows = await tables
      .selectFrom('commit_holders')
      .select(['hash', 'ref_uid', 'recorded_number'])
      .where('repository_uid', '=', repositoryUid)
      .where('hash', 'in', some)
      .execute()
    for (const { hash, ref_uid: uid, recorded_number: number } of rows) {
      if (!refUids.has(uid)) commits.get(hash)?.others.push(number)
    }
  }
  return [...commits]
    .filter(([, { number, others }]) => others.every((other) => other >= number))
    .map(([hash, { first, others }]) => ({
      ...{ hash: hash as CommitHash, first },
      isHeldElsewhere: others.length > 0,
    }))
}

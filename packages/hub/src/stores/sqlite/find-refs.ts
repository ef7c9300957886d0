/** The rows of the refs that a revision can mean, and of the refs that they come from or are held by. */

import type { DatabaseSync } from 'node:sqlite'
import type { CommitHash, RefName, RefUid, RepositoryUid } from '@latchkey/protocol'
import {
  type FixedRefRecord,
  type Fork,
  type HolderRecord,
  mostAncestors,
  type RepositoryRecord,
  type RevisionNames,
} from '../../access/access-store.ts'

interface RefRow {
  uid: RefUid
  name: RefName | CommitHash
  commit: CommitHash
  /** Null where it was not forked. */
  fromUid: RefUid | null
}

type HolderRow = HolderRecord & { fromUid: RefUid | null }
type Held = Pick<FixedRefRecord, 'holders' | 'pastHolders' | 'forks'>

export type FindRefs = (
  repository: { readonly uid: RepositoryUid; readonly defaultBranch: string },
  names: RevisionNames,
) => Pick<RepositoryRecord, 'fixed' | 'moving'>

export function prepareFindRefs(database: DatabaseSync): FindRefs {
  const refs = database.prepare(`
    SELECT uid, name, commit_hash AS "commit", from_uid AS fromUid FROM refs WHERE repository_uid = ? AND name IN (?, ?)`)
  const commits = database.prepare(`
    SELECT uid, hash AS name, hash AS "commit", NULL AS fromUid FROM commits WHERE repository_uid = ? AND hash = ?`)
  const forksBehind = prepareForksBehind(database)
  const forksOf = ({ uid, fromUid }: RefRow) => (fromUid === null ? [] : forksBehind(uid))
  const holdersOf = prepareHolders(database)

  return (repository, { commit, tag, moving }) => {
    const branch = moving === 'default branch' ? repository.defaultBranch : moving
    const rows = (commit === undefined
      ? refs.all(repository.uid, tag ?? null, branch ?? null)
      : commits.all(repository.uid, commit)) as unknown as RefRow[]
    const fixedRow = rows.find(({ name }) => name === (commit ?? tag))
    const movingRow = rows.find(({ name }) => name === branch)
    return {
      fixed: fixedRow && { ...named(fixedRow), ...holdersOf(repository.uid, fixedRow.commit) },
      moving: movingRow && { ...named(movingRow), forks: forksOf(movingRow) },
    }
  }
}

function named({ uid, name, commit }: RefRow) {
  return { uid, name, commit }
}

function prepareForksBehind(database: DatabaseSync): (refUid: RefUid) => readonly Fork[] {
  const fork = database.prepare(`
    SELECT uid, from_uid AS fromUid, coalesce(forked_number, 0) AS forkedNumber
    FROM refs WHERE uid = ? AND from_uid IS NOT NULL`)
  const forkOf = (refUid: RefUid) => fork.get(refUid) as Fork | undefined
  return (refUid) => {
    const behind: Fork[] = []
    let next = forkOf(refUid)
    while (next !== undefined && behind.length < mostAncestors) {
      behind.push(next)
      next = forkOf(next.fromUid)
    }
    return behind
  }
}

function prepareHolders(
  database: DatabaseSync,
): (repositoryUid: RepositoryUid, hash: CommitHash) => Held {
  const holders = database.prepare(`
    SELECT r.uid, r.name, h.recorded_number AS recordedNumber, r.position AS refPosition,
           r.from_uid AS fromUid
    FROM commit_holders h JOIN refs r ON r.uid = h.ref_uid
    WHERE h.repository_uid = ? AND h.hash = ?
    ORDER BY h.position`)
  const pastHolders = database.prepare(`
    SELECT name FROM past_holders WHERE repository_uid = ? AND hash = ?`)
  const forks = database.prepare(`
    SELECT uid, from_uid AS fromUid, coalesce(forked_number, 0) AS forkedNumber
    FROM refs WHERE repository_uid = ? AND from_uid IS NOT NULL`)
  return (repositoryUid, hash) => {
    const rows = holders.all(repositoryUid, hash) as unknown as HolderRow[]
    const isForked = rows.some(({ fromUid }) => fromUid !== null)
    return {
      holders: rows,
      pastHolders: pastHolders.all(repositoryUid, hash).map(({ name }) => String(name)),
      forks: isForked ? (forks.all(repositoryUid) as unknown as Fork[]) : [],
    }
  }
}

/** Where refs come from: the forks behind a branch, and the moving refs that hold or held a commit. */

import type { DatabaseSync } from 'node:sqlite'
import type { CommitHash, RefName, UnixSeconds } from '@latchkey/protocol'
import type { Ancestor, Holder } from '../../permission/access-facts.ts'

interface Fork {
  from_uid: string
  forked_at: UnixSeconds
}

interface HolderRow {
  uid: string
  name: RefName
  recorded_at: UnixSeconds
  position: number
  from_uid: string | null
}

export interface Lineage {
  ancestryOf(refUid: string): readonly Ancestor[]
  /** First the ref that recorded the commit first, then the default branch, then the oldest. */
  holdersOf(repositoryUid: string, hash: CommitHash, defaultBranch: RefName): readonly Holder[]
  /** Names of deleted refs that held the commit; the hash itself for a time without a known holder. */
  pastHoldersOf(repositoryUid: string, hash: CommitHash): readonly string[]
}

const deepest = 8

export function prepareLineage(database: DatabaseSync): Lineage {
  const fork = database.prepare(`
    SELECT from_uid, forked_at FROM refs WHERE uid = ? AND from_uid IS NOT NULL`)
  const forks = database.prepare(`
    SELECT uid, from_uid, forked_at FROM refs WHERE repository_uid = ? AND from_uid IS NOT NULL`)
  const holders = database.prepare(`
    SELECT r.uid, r.name, h.recorded_at, r.position, r.from_uid
    FROM commit_holders h JOIN refs r ON r.uid = h.ref_uid
    WHERE h.repository_uid = ? AND h.hash = ?
    ORDER BY h.position`)
  const pastHolders = database.prepare(`
    SELECT name FROM past_holders WHERE repository_uid = ? AND hash = ?`)

  const forksIn = (repositoryUid: string): ReadonlyMap<string, Fork> => {
    const rows = forks.all(repositoryUid) as unknown as (Fork & { uid: string })[]
    return new Map(rows.map((row) => [row.uid, row]))
  }

  return {
    ancestryOf: (refUid) => walk(refUid, undefined, (uid) => fork.get(uid) as Fork | undefined),
    holdersOf(repositoryUid, hash, defaultBranch) {
      const rows = holders.all(repositoryUid, hash) as unknown as HolderRow[]
      const known = rows.some((row) => row.from_uid !== null) ? forksIn(repositoryUid) : new Map()
      return inOrder(rows, defaultBranch).map(({ uid, name, recorded_at: recordedAt }) => ({
        uid,
        name,
        recordedAt,
        // Thousands of refs may hold a commit, and a token sees eight: each line is walked when it is needed.
        get ancestry() {
          return walk(uid, recordedAt, (start) => known.get(start))
        },
      }))
    },
    pastHoldersOf: (repositoryUid, hash) =>
      pastHolders.all(repositoryUid, hash).map(({ name }) => String(name)),
  }
}

/** The origins of a ref, nearest first. Each ends at the limit or at the earliest fork on the way. */
function walk(
  start: string,
  limit: UnixSeconds | undefined,
  forkOf: (uid: string) => Fork | undefined,
): readonly Ancestor[] {
  const line: Ancestor[] = []
  let fork = forkOf(start)
  let until = limit
  while (fork !== undefined && line.length < deepest) {
    until = until !== undefined && until < fork.forked_at ? until : fork.forked_at
    line.push({ uid: fork.from_uid, until })
    fork = forkOf(fork.from_uid)
  }
  return line
}

function inOrder(rows: readonly HolderRow[], defaultBranch: RefName): readonly HolderRow[] {
  const [first, ...others] = rows
  if (first === undefined) return []
  const isDefault = ({ name }: HolderRow) => Number(name === defaultBranch)
  others.sort((one, other) => isDefault(other) - isDefault(one) || one.position - other.position)
  return [first, ...others]
}

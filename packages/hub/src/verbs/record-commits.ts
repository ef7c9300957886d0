/** Commits go on record once, and their holders once each: what is not there yet, as changes. */

import { type CommitHash, type RefUid, unixSeconds } from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import type { CommitChange } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { NumberedWork, Work } from '../tables/directory.ts'
import type { CommitRow, NewRefRow, RepositoryRow } from '../tables/rows.ts'

export interface WantedCommit {
  readonly hash: CommitHash
  /** The moving refs that hold it. */
  readonly holders: readonly Pick<NewRefRow, 'uid' | 'name'>[]
}

/** The first moment on record stays: what was written later must not become visible through it. */
export async function recordingOf(
  work: NumberedWork,
  repository: RepositoryRow,
  wanted: readonly WantedCommit[],
): Promise<CommitChange[]> {
  return newOnRecord(work, repository, wanted, await onRecord(work, repository, wanted))
}

/** The same for a repository that is made by the same change. */
export function firstRecordingOf(
  work: NumberedWork,
  repository: RepositoryRow,
  wanted: readonly WantedCommit[],
): CommitChange[] {
  return newOnRecord(work, repository, wanted, { commits: new Map(), holders: new Set() })
}

interface OnRecord {
  readonly commits: ReadonlyMap<string, CommitRow>
  /** `hash uid` for each ref that holds a commit. */
  readonly holders: ReadonlySet<string>
}

function newOnRecord(
  work: NumberedWork,
  repository: RepositoryRow,
  wanted: readonly WantedCommit[],
  { commits, holders: known }: OnRecord,
): CommitChange[] {
  return Array.from(merged(wanted), ([hash, holders]): CommitChange => {
    const stored = commits.get(hash)
    const commit = stored ?? newCommitRow(work, repository, hash)
    return {
      thing: 'commit',
      repository,
      created: stored === undefined ? commit : undefined,
      commit,
      holders: Array.from(holders.values()).filter(({ uid }) => !known.has(`${hash} ${uid}`)),
      now: work.now,
      number: work.number,
    }
  }).filter(({ created, holders }) => created !== undefined || holders.length > 0)
}

/** Several refs of one change may hold the same commit. */
function merged(wanted: readonly WantedCommit[]) {
  const all = new Map<CommitHash, Map<RefUid, WantedCommit['holders'][number]>>()
  for (const { hash, holders } of wanted) {
    const held = all.get(hash) ?? new Map()
    for (const holder of holders) held.set(holder.uid, holder)
    all.set(hash, held)
  }
  return all
}

function newCommitRow(
  { now, randomBytes }: Work,
  { uid: repository_uid }: RepositoryRow,
  hash: CommitHash,
): CommitRow {
  return { uid: newId(randomBytes), repository_uid, hash, recorded_at: unixSeconds(now) }
}

async function onRecord(
  { tables }: Work,
  { uid }: RepositoryRow,
  wanted: readonly WantedCommit[],
): Promise<OnRecord> {
  const commits = new Map<string, CommitRow>()
  const holders = new Set<string>()
  for (const some of chunked(wanted)) {
    const hashes = some.map(({ hash }) => hash)
    const stored = await tables
      .selectFrom('commits')
      .selectAll()
      .where('repository_uid', '=', uid)
      .where('hash', 'in', hashes)
      .execute()
    for (const row of stored) commits.set(row.hash, row)
    const held = await tables
      .selectFrom('commit_holders')
      .select(['hash', 'ref_uid'])
      .where('repository_uid', '=', uid)
      .where('hash', 'in', hashes)
      .execute()
    for (const { hash, ref_uid } of held) holders.add(`${hash} ${ref_uid}`)
  }
  return { commits, holders }
}

/** Commits go on record once, and their holders once each: what is not there yet, as changes. */

import {
  type CommitHash,
  isRefusal,
  type RefUid,
  type RepositoryUid,
  unixSeconds,
} from '@latchkey/protocol'
import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import { newId } from '@latchkey/service/machine/random'
import { isExpiredUpload } from '../permission/own-refs.ts'
import type { CommitChange, Origin } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Directory, NumberedWork, Work } from '../tables/directory.ts'
import type { CommitRow, NewRefRow, RepositoryRow } from '../tables/rows.ts'
import { findRepositoryByUid, withNewEpoch } from './repository-rows.ts'

export interface WantedCommit {
  readonly hash: CommitHash
  /** The moving refs that hold it. */
  readonly holders: readonly Pick<NewRefRow, 'uid' | 'name'>[]
}

/** The first moment on record stays: what was written later must not become visible through it. */
export async function recordingOf(
  work: NumberedWork,
  repository: RepositoryRow,
  commits: readonly WantedCommit[],
): Promise<CommitChange[]> {
  return newOnRecord(work, repository, commits, await onRecord(work, repository, commits))
}

/** The same for a repository that is made by the same change. */
export function firstRecordingOf(
  work: NumberedWork,
  repository: RepositoryRow,
  commits: readonly WantedCommit[],
): CommitChange[] {
  return newOnRecord(work, repository, commits, { commits: new Map(), holders: new Set() })
}

interface OnRecord {
  readonly commits: ReadonlyMap<string, CommitRow>
  /** `hash uid` for each ref that holds a commit. */
  readonly holders: ReadonlySet<string>
}

function newOnRecord(
  work: NumberedWork,
  repository: RepositoryRow,
  requestedCommits: readonly WantedCommit[],
  { commits, holders: knownHolders }: OnRecord,
): CommitChange[] {
  return Array.from(merged(requestedCommits), ([hash, holders]): CommitChange => {
    const stored = commits.get(hash)
    const commit = stored ?? newCommitRow(work, repository, hash)
    return {
      thing: 'commit',
      repository,
      created: stored === undefined ? commit : undefined,
      commit,
      holders: Array.from(holders.values()).filter(
        ({ uid }) => !knownHolders.has(`${hash} ${uid}`),
      ),
      now: work.now,
      number: work.number,
    }
  }).filter(({ created, holders }) => created !== undefined || holders.length > 0)
}

/** Several refs of one change may hold the same commit. */
function merged(commits: readonly WantedCommit[]) {
  const all = new Map<CommitHash, Map<RefUid, WantedCommit['holders'][number]>>()
  for (const { hash, holders } of commits) {
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
  requestedCommits: readonly WantedCommit[],
): Promise<OnRecord> {
  const commits = new Map<string, CommitRow>()
  const holders = new Set<string>()
  for (const some of chunked(requestedCommits)) {
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

/** Few enough that no request waits long. */
const rowsAtOnce = 2000

interface Expiring {
  readonly origin: Origin
  readonly now: number
}

/** Gives how many are gone. */
export async function deleteExpiredUploads(
  directory: Directory,
  expiring: Expiring,
): Promise<number> {
  let deleted = 0
  let after = ''
  for (;;) {
    const rows = await directory.readBeside((tables) =>
      tables
        .selectFrom('refs')
        .select(['uid', 'name', 'repository_uid'])
        .where('uid', '>', after as RefUid)
        .orderBy('uid')
        .limit(rowsAtOnce)
        .execute(),
    )
    for (const { uid, name, repository_uid } of rows) {
      if (!isExpiredUpload(name, expiring.now)) continue
      deleted += await deleteUpload(directory, { uid, repositoryUid: repository_uid }, expiring)
    }
    if (rows.length < rowsAtOnce) return deleted
    after = rows.at(-1)?.uid ?? ''
    await yieldToEventLoop()
  }
}

interface Upload {
  readonly uid: RefUid
  readonly repositoryUid: RepositoryUid
}

async function deleteUpload(
  directory: Directory,
  { uid, repositoryUid }: Upload,
  { origin }: Expiring,
): Promise<number> {
  const gone = await directory.change(async ({ tables, number, putAs }) => {
    const repository = await findRepositoryByUid(tables, repositoryUid)
    const before = await tables
      .selectFrom('refs')
      .selectAll()
      .where('uid', '=', uid)
      .executeTakeFirst()
    if (repository === undefined || before === undefined) return 0
    await putAs(origin)(withNewEpoch([{ thing: 'ref', before, repository }], repository, number))
    return 1
  })
  return isRefusal(gone) ? 0 : gone
}

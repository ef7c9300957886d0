/** The refs and commits of one repository of a directory file. */

import type { InputPath, RepositoryEntry } from '@latchkey/admin-api'
import { isRefusal, type RefName, type Refusal } from '@latchkey/protocol'
import { changeRefs, type StoredRef, toldOf } from '../nouns/change-refs.ts'
import { withNewEpoch } from '../nouns/epochs.ts'
import { firstRecordingOf, recordingOf, type WantedCommit } from '../nouns/record-commits.ts'
import { tooManyRefs } from '../nouns/ref-refusals.ts'
import { mostRefs } from '../nouns/ref-rows.ts'
import type { Change, CommitChange } from '../port/change.ts'
import type { RepositoryRow } from '../port/rows.ts'
import { type Applying, at } from './applying.ts'
import { planRefs } from './plan-refs.ts'
import { wantedCommits } from './wanted-commits.ts'
import { wantedRefs } from './wanted-refs.ts'

export interface RepositoryPlace {
  readonly entry: RepositoryEntry
  readonly path: InputPath
  readonly row: RepositoryRow
  readonly isNew: boolean
}

export async function applyRefs(
  applying: Applying,
  place: RepositoryPlace,
): Promise<Change[] | Refusal> {
  const { entry, path, row, isNew } = place
  const wanted = wantedRefs(place)
  if (isRefusal(wanted)) return wanted
  const { kinds, refs: named } = wanted
  if (kinds.size + named.length === 0 && entry.commits === undefined) return []
  const plan = planRefs(row, await storedRefs(applying, place), wanted)
  if (isRefusal(plan)) return plan
  if (plan.kept.size + plan.created.length > mostRefs) {
    return at(path, tooManyRefs(row))
  }
  const refs = changeRefs(applying.work, row, plan)
  const news = isNew ? refs.told.filter(({ did }) => did !== 'created') : refs.told
  for (const told of news) applying.changes.push(toldOf(row, told))
  const listed = wantedCommits(entry, path, refs.byName)
  if (isRefusal(listed)) return listed
  const record = isNew ? firstRecordingOf : recordingOf
  const recorded = await record(applying.work, row, [...refs.commits, ...listed])
  if (!isNew) reportCommits(applying, row, listed, recorded)
  return [...withNewEpoch(refs.made, row, applying.work.number), ...recorded]
}

async function storedRefs({ work }: Applying, place: RepositoryPlace): Promise<StoredRef[]> {
  if (place.isNew) return []
  const rows = await work.tables
    .selectFrom('refs')
    .selectAll()
    .where('repository_uid', '=', place.row.uid)
    .orderBy('position')
    .execute()
  return rows.map((row) => ({ ...row, name: row.name as RefName }))
}

/** Commits that the file lists by themselves; a commit of a ref is told with the ref. */
function reportCommits(
  { changes }: Applying,
  { path }: RepositoryRow,
  listed: readonly WantedCommit[],
  recorded: readonly CommitChange[],
): void {
  const newly = new Map(recorded.map((change) => [change.commit.hash, change]))
  for (const { hash, holders } of listed) {
    const change = newly.get(hash)
    const isNews =
      change?.created !== undefined || holders.some((ref) => change?.holders.includes(ref))
    if (isNews) changes.push({ what: 'commit', name: `${path}@${hash}`, did: 'recorded' })
  }
}

/** The refs of one repository of a directory file. */

import { isRefusal, type RefName, type Refusal } from '@latchkey/protocol'
import { newCommitRow, newHolderRow } from '../commits.ts'
import type { InputPath } from '../read-input.ts'
import { mostRefs, moveRefRow, newRefRow } from '../ref-rows.ts'
import { tooManyRefs } from '../refs.ts'
import type { RepositoryRow } from '../repositories.ts'
import { isMoving, repository as repositoryWord } from '../words.ts'
import { type Applying, at } from './applying.ts'
import type { Batch } from './batch.ts'
import type { RepositoryEntry } from './directory-file.ts'
import { planRefs, type RefPlan, type StoredRef } from './plan-refs.ts'
import { wantedRefs } from './wanted-refs.ts'

export interface RepositoryPlace {
  readonly entry: RepositoryEntry
  readonly path: InputPath
  readonly row: RepositoryRow
  readonly isNew: boolean
}

/** Uids by full name, as they are when the file is applied. */
export type RefUids = ReadonlyMap<string, string>

export async function applyRefs(
  applying: Applying,
  batch: Batch,
  place: RepositoryPlace,
): Promise<RefUids | Refusal> {
  const wanted = wantedRefs(place.entry, place.path)
  if (isRefusal(wanted)) return wanted
  if (wanted.kinds.size === 0 && place.entry.commits === undefined) return new Map()
  const plan = planRefs(await storedRefs(applying, place), wanted)
  if (isRefusal(plan)) return plan
  if (plan.kept.size + plan.created.length > mostRefs) {
    return at(place.path, tooManyRefs(repositoryWord.parse(place.row.path)))
  }
  await deleteRefs(applying, place, plan)
  await moveRefs(applying, batch, place, plan)
  return createRefs(applying, batch, place, plan)
}

async function storedRefs({ work }: Applying, place: RepositoryPlace): Promise<StoredRef[]> {
  if (place.isNew) return []
  const rows = await work.tables
    .selectFrom('refs')
    .select(['uid', 'name', 'commit_hash', 'from_name'])
    .where('repository_uid', '=', place.row.uid)
    .orderBy('position')
    .execute()
  return rows.map((row) => ({ ...row, name: row.name as RefName }))
}

async function deleteRefs(
  { work, changes }: Applying,
  { row }: RepositoryPlace,
  { deleted }: RefPlan,
): Promise<void> {
  for (const { uid, name } of deleted) {
    await work.tables.deleteFrom('refs').where('uid', '=', uid).execute()
    changes.push({ what: 'ref', name: `${row.path}@${name}`, did: 'deleted' })
  }
}

async function moveRefs(
  { work, changes }: Applying,
  batch: Batch,
  { row }: RepositoryPlace,
  { moved }: RefPlan,
): Promise<void> {
  for (const { ref, commit } of moved) {
    const uid = await moveRefRow(work, row.uid, { ref, commit })
    batch.commits.push(newCommitRow(work, row.uid, commit))
    if (isMoving(ref.name)) batch.commit_holders.push(newHolderRow(work, row.uid, commit, uid))
    changes.push({ what: 'ref', name: `${row.path}@${ref.name}`, did: 'changed' })
  }
}

function createRefs(
  { work, changes }: Applying,
  batch: Batch,
  { row, isNew }: RepositoryPlace,
  { created, kept }: RefPlan,
): RefUids {
  const uids = new Map(Array.from(kept.values(), ({ name, uid }) => [name as string, uid]))
  for (const { name, commit, from } of created) {
    const origin = from === undefined ? undefined : { name: from, uid: uids.get(from) ?? '' }
    const ref = newRefRow(work, row.uid, { name, commit, from: origin })
    uids.set(name, ref.uid)
    batch.refs.push(ref)
    batch.commits.push(newCommitRow(work, row.uid, commit))
    if (isMoving(name)) batch.commit_holders.push(newHolderRow(work, row.uid, commit, ref.uid))
    if (!isNew) changes.push({ what: 'ref', name: `${row.path}@${name}`, did: 'created' })
  }
  return uids
}

/** The repositories of a directory file, with everything that belongs to each. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { sql } from 'kysely'
import { chunked } from '../columns.ts'
import { noNamespace } from '../namespaces.ts'
import type { InputPath } from '../read-input.ts'
import {
  changedRepositoryRow,
  newRepositoryRow,
  type RepositoryRow,
  repositoryTaken,
} from '../repositories.ts'
import { applyCommits } from './apply-commits.ts'
import { applyRefs, type RepositoryPlace } from './apply-refs.ts'
import { type Applying, type ApplyStep, at, exactly } from './applying.ts'
import { type Batch, insertBatch, newBatch } from './batch.ts'
import { breathe } from './breathe.ts'
import { halves, pathOf, type RepositoryEntry } from './directory-file.ts'
import { compareRoles } from './roles.ts'

export const applyRepositories: ApplyStep<RepositoryEntry> = async (applying, entries) => {
  const stored = await storedRepositories(applying, entries)
  const batch = newBatch()
  for (const [index, entry] of entries.entries()) {
    await breathe(index)
    const path = ['repositories', index]
    const place = placeOf(applying, stored, entry, path)
    if (isRefusal(place)) return place
    const mistake = await applyRepository(applying, batch, place)
    if (mistake !== undefined) return mistake
  }
  await insertBatch(applying.work.tables, batch)
  return undefined
}

type Stored = ReadonlyMap<string, RepositoryRow>

/** Only those that the file names, by lower-case path. */
async function storedRepositories(
  { work }: Applying,
  entries: readonly RepositoryEntry[],
): Promise<Stored> {
  const stored = new Map<string, RepositoryRow>()
  for (const some of chunked(entries)) {
    const paths = some.map((entry) => pathOf(entry).toLowerCase())
    const rows = await work.tables
      .selectFrom('repositories')
      .selectAll()
      .where(sql<string>`lower(path)`, 'in', paths)
      .execute()
    for (const row of rows) stored.set(row.path.toLowerCase(), row)
  }
  return stored
}

function placeOf(
  { work, namespaces }: Applying,
  stored: Stored,
  entry: RepositoryEntry,
  path: InputPath,
): RepositoryPlace | Refusal {
  const name = pathOf(entry)
  const [owner] = halves(entry.id)
  const namespace = exactly(namespaces, owner)
  if (namespace === undefined) return at([...path, 'id'], noNamespace(owner))
  const row = stored.get(name.toLowerCase())
  if (row !== undefined && row.path !== name) return at([...path, 'id'], repositoryTaken(row.path))
  if (row !== undefined) return { entry, path, row, isNew: false }
  const created = newRepositoryRow(work, namespace.id, { path: name })
  return { entry, path, row: created, isNew: true }
}

async function applyRepository(
  applying: Applying,
  batch: Batch,
  place: RepositoryPlace,
): Promise<Refusal | undefined> {
  const { changes } = applying
  const { row, isNew } = place
  const rowChanged = await applyRow(applying, batch, place)
  const rolesChanged = await applyCollaborators(applying, batch, place)
  if (isRefusal(rolesChanged)) return rolesChanged
  if (isNew) changes.push({ what: 'repository', name: row.path, did: 'created' })
  else if (rowChanged || rolesChanged) {
    changes.push({ what: 'repository', name: row.path, did: 'changed' })
  }
  const uids = await applyRefs(applying, batch, place)
  return isRefusal(uids) ? uids : applyCommits(applying, batch, place, uids)
}

async function applyRow(
  { work }: Applying,
  batch: Batch,
  { entry, row, isNew }: RepositoryPlace,
): Promise<boolean> {
  const ref_rules = entry.refRules === undefined ? row.ref_rules : JSON.stringify(entry.refRules)
  const wanted = { ...changedRepositoryRow(row, entry), ref_rules }
  if (isNew) {
    batch.repositories.push(wanted)
    return true
  }
  if (JSON.stringify(wanted) === JSON.stringify(row)) return false
  await work.tables.updateTable('repositories').set(wanted).where('uid', '=', row.uid).execute()
  return true
}

async function applyCollaborators(
  applying: Applying,
  batch: Batch,
  { entry, path, row, isNew }: RepositoryPlace,
): Promise<boolean | Refusal> {
  if (entry.collaborators === undefined) return false
  const { tables } = applying.work
  const mine = tables.selectFrom('collaborators').where('repository_uid', '=', row.uid)
  const stored = isNew ? [] : await mine.select(['account_id', 'role']).execute()
  const place = [...path, 'collaborators']
  const roles = compareRoles(applying, stored, entry.collaborators, place)
  if (isRefusal(roles)) return roles
  for (const accountId of roles.dropped) {
    await tables
      .deleteFrom('collaborators')
      .where('repository_uid', '=', row.uid)
      .where('account_id', '=', accountId)
      .execute()
  }
  for (const held of roles.added) batch.collaborators.push({ ...held, repository_uid: row.uid })
  return roles.added.length + roles.dropped.length > 0
}

/** The repositories of a directory file, with everything that belongs to each. */

import { halves, type InputPath, pathOf, type RepositoryEntry } from '@latchkey/admin-api'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { sql } from 'kysely'
import { noNamespace } from '../nouns/namespaces.ts'
import {
  changedRepositoryRow,
  newRepositoryRow,
  repositoryTaken,
} from '../nouns/repository-rows.ts'
import { collaborators } from '../nouns/role-kinds.ts'
import type { Change } from '../port/change.ts'
import { chunked } from '../port/columns.ts'
import type { RepositoryRow } from '../port/rows.ts'
import { yieldToEventLoop } from '../port/yield-to-event-loop.ts'
import { applyRefs, type RepositoryPlace } from './apply-refs.ts'
import { type Applying, type ApplyStep, absent, at, exactly } from './applying.ts'
import { replaceRoles } from './replace-roles.ts'

export const applyRepositories: ApplyStep<RepositoryEntry> = async (applying, entries) => {
  const stored = await storedRepositories(applying, entries)
  const made: Change[] = []
  for (const [index, entry] of entries.entries()) {
    await yieldToEventLoop(index)
    const path = ['repositories', index]
    const place = placeOf(applying, stored, entry, path)
    if (isRefusal(place)) return place
    const changes = await applyRepository(applying, place)
    if (isRefusal(changes)) return changes
    for (const change of changes) made.push(change)
  }
  await applying.work.put(made)
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
  applying: Applying,
  stored: Stored,
  entry: RepositoryEntry,
  path: InputPath,
): RepositoryPlace | Refusal {
  const { work, namespaces } = applying
  const name = pathOf(entry)
  const [owner] = halves(entry.id)
  const namespace = exactly(namespaces, owner)
  if (namespace === undefined) {
    const missing = { what: 'namespace', name: owner } as const
    return at([...path, 'id'], absent(applying, missing, noNamespace(owner)))
  }
  const row = stored.get(name.toLowerCase())
  if (row !== undefined && row.path !== name) return at([...path, 'id'], repositoryTaken(row.path))
  if (row !== undefined) return { entry, path, row, isNew: false }
  const created = newRepositoryRow(work, namespace.id, { path: name })
  return { entry, path, row: created, isNew: true }
}

async function applyRepository(
  applying: Applying,
  place: RepositoryPlace,
): Promise<Change[] | Refusal> {
  const { changes } = applying
  const { entry, row, isNew } = place
  const own = changedRow(place)
  const roles = await replaceRoles(applying, collaborators, {
    place: row,
    isNew,
    path: [...place.path, 'collaborators'],
    wanted: entry.collaborators,
  })
  if (isRefusal(roles)) return roles
  if (isNew) changes.push({ what: 'repository', name: row.path, did: 'created' })
  else if (own.length + roles.length > 0) {
    changes.push({ what: 'repository', name: row.path, did: 'changed' })
  }
  const refs = await applyRefs(applying, place)
  return isRefusal(refs) ? refs : [...own, ...roles, ...refs]
}

function changedRow({ entry, row, isNew }: RepositoryPlace): Change[] {
  const ref_rules = entry.refRules === undefined ? row.ref_rules : JSON.stringify(entry.refRules)
  const after = { ...changedRepositoryRow(row, entry), ref_rules }
  if (isNew) return [{ thing: 'repository', after }]
  if (JSON.stringify(after) === JSON.stringify(row)) return []
  return [{ thing: 'repository', before: row, after }]
}

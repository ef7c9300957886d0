import { halves, type InputPath, pathOf, type RepositoryEntry } from '@latchkey/admin-api'
import { isRefusal, type RefName, type Refusal, refuse } from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { sql } from 'kysely'
import { refuseStorageOutside } from '../minting/storage-names.ts'
import type { Change } from '../tables/change.ts'
import { chunked, rowsPerStatement } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { RepositoryRow } from '../tables/rows.ts'
import type { StoredRef } from '../verbs/change-refs.ts'
import { noNamespace } from '../verbs/namespaces.ts'
import { type PublisherPlace, storedPublishers } from '../verbs/publisher-rows.ts'
import {
  changedRepositoryRow,
  newRepositoryRow,
  repositoryTaken,
} from '../verbs/repository-rows.ts'
import { collaborators } from '../verbs/roles.ts'
import { planPublishers } from './plan-publishers.ts'
import { planRepositoryRefs, type RepositoryPlace } from './plan-repository-refs.ts'
import { replaceTeamRoles, type StoredTeamRoles, storedTeamRoles } from './plan-teams.ts'
import {
  absent,
  addUnit,
  at,
  exactly,
  type Planning,
  type PlanSection,
  type ReportedChange,
} from './planning.ts'
import { replaceRoles, type StoredRoles, storedCollaborators } from './stored-roles.ts'

export const planRepositories: PlanSection<RepositoryEntry> = async (planning, entries) => {
  for (const [part, some] of chunked(entries).entries()) {
    const stored = await storedRepositories(planning.work.tables, some)
    for (const [offset, entry] of some.entries()) {
      const index = part * rowsPerStatement + offset
      await yieldInLoop(index)
      const place = placeOf(planning, stored, entry, ['repositories', index])
      const mistake = isRefusal(place) ? place : await planRepository(planning, place)
      if (mistake !== undefined) return mistake
    }
  }
  return undefined
}

function placeOf(
  planning: Planning,
  { rows, roles, teamRoles, refs, publishers }: StoredRepositories,
  entry: RepositoryEntry,
  path: InputPath,
): RepositoryPlace | Refusal {
  const { work, namespaces, deletedRepositories } = planning
  const name = pathOf(entry)
  const [owner] = halves(entry.id)
  const namespace = exactly(namespaces, owner)
  if (namespace === undefined) {
    const missing = { what: 'namespace', name: owner } as const
    return at([...path, 'id'], absent(planning, missing, noNamespace(owner)))
  }
  const row = rows.get(name.toLowerCase())
  if (row === undefined || deletedRepositories.has(row.path)) {
    const unknown = refuseStorageOutside(planning.storages, entry.storage)
    if (unknown !== undefined) return at([...path, 'storage'], unknown)
    const created = newRepositoryRow(work, namespace, { path: name, storage: entry.storage })
    const none = { roles: [], teamRoles: [], refs: [], publishers: [] }
    return { entry, path, row: created, isNew: true, ...none }
  }
  if (row.path !== name) return at([...path, 'id'], repositoryTaken(row.path))
  if (entry.storage !== undefined && entry.storage !== row.storage) {
    return at([...path, 'storage'], otherStorage(row))
  }
  const { uid } = row
  const [held = [], own = []] = [roles.get(uid), refs.get(uid)]
  return {
    entry,
    path,
    row,
    isNew: false,
    roles: held,
    teamRoles: teamRoles.get(uid) ?? [],
    refs: own,
    publishers: publishers.get(uid) ?? [],
  }
}

function otherStorage({ path, storage }: RepositoryRow): Refusal {
  return refuse(
    'conflict',
    `The content of ${path} is on the storage "${storage}", and a repository keeps its storage. Write that name, or leave storage out.`,
    { next: ['repo', 'show', path] },
  )
}

async function planRepository(
  planning: Planning,
  place: RepositoryPlace,
): Promise<Refusal | undefined> {
  const { entry, row, isNew } = place
  const own = changedRow(place)
  const roles = replaceRoles(planning, collaborators, {
    place: row,
    stored: place.roles,
    path: [...place.path, 'collaborators'],
    roles: entry.collaborators,
  })
  if (isRefusal(roles)) return roles
  const publishers = await planPublishers(planning, place)
  if (isRefusal(publishers)) return publishers
  const teams = replaceTeamRoles(planning, {
    place: row,
    owner: halves(entry.id)[0],
    stored: place.teamRoles,
    path: [...place.path, 'teams'],
    teams: entry.teams,
  })
  if (isRefusal(teams)) return teams
  roles.push(...teams)
  const refs = await planRepositoryRefs(planning, place)
  if (isRefusal(refs)) return refs
  const reported: ReportedChange[] =
    own.length + roles.length === 0
      ? []
      : [{ what: 'repository', name: row.path, did: isNew ? 'created' : 'changed' }]
  const changes = [...own, ...roles, ...publishers.changes, ...refs.own.changes]
  addUnit(planning, changes, [...reported, ...publishers.reported, ...refs.own.reported])
  for (const unit of refs.further) addUnit(planning, unit.changes, unit.reported)
  return undefined
}

function changedRow({ entry, row, isNew }: RepositoryPlace): Change[] {
  const ref_rules = entry.refRules === undefined ? row.ref_rules : JSON.stringify(entry.refRules)
  const after = { ...changedRepositoryRow(row, entry), ref_rules }
  if (isNew) return [{ thing: 'repository', after }]
  if (JSON.stringify(after) === JSON.stringify(row)) return []
  return [{ thing: 'repository', before: row, after }]
}

/** The stored state of some repositories that a file names, read in few statements. */
interface StoredRepositories {
  /** By lower-case path. */
  readonly rows: ReadonlyMap<string, RepositoryRow>
  /** By uid. */
  readonly roles: StoredRoles
  readonly teamRoles: StoredTeamRoles
  readonly refs: ReadonlyMap<string, readonly StoredRef[]>
  readonly publishers: ReadonlyMap<string, readonly PublisherPlace[]>
}

/** At most as many entries as one statement may have values. */
async function storedRepositories(
  tables: Reading,
  entries: readonly RepositoryEntry[],
): Promise<StoredRepositories> {
  const paths = entries.map((entry) => pathOf(entry).toLowerCase())
  const found = await tables
    .selectFrom('repositories')
    .selectAll()
    .where(sql<string>`lower(path)`, 'in', paths)
    .execute()
  const rows = new Map(found.map((row) => [row.path.toLowerCase(), row]))
  const uids = found.map(({ uid }) => uid)
  return {
    rows,
    roles: await storedCollaborators(tables, uids),
    teamRoles: await storedTeamRoles(tables, uids),
    refs: uids.length === 0 ? new Map() : await storedRefs(tables, uids),
    publishers: await storedPublishers(tables, uids),
  }
}

async function storedRefs(tables: Reading, uids: readonly RepositoryRow['uid'][]) {
  const refs = new Map<string, StoredRef[]>()
  const rows = await tables
    .selectFrom('refs')
    .selectAll()
    .where('repository_uid', 'in', uids)
    .orderBy('position')
    .execute()
  for (const row of rows) {
    const own = refs.get(row.repository_uid) ?? []
    own.push({ ...row, name: row.name as RefName })
    refs.set(row.repository_uid, own)
  }
  return refs
}

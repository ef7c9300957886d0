/** Deletes what the sections of a directory file do not name; a section that is absent prunes nothing. */

import {
  type AccountEntry,
  type HubTokenEntry,
  type NamespaceEntry,
  pathOf,
  type RepositoryEntry,
} from '@latchkey/admin-api'
import type { Refusal } from '@latchkey/protocol'
import { ownedHubTokens, revokeOwned } from '../tables/columns.ts'
import type { NamespaceRow } from '../tables/rows.ts'
import { namespaceNotEmpty } from '../verbs/namespaces.ts'
import { addUnit, at, type Planning } from './planning.ts'

type Section<Entry> = readonly Entry[] | undefined

export async function pruneHubTokens(
  planning: Planning,
  entries: Section<HubTokenEntry>,
): Promise<undefined> {
  if (!planning.prune || entries === undefined) return
  const { tables, now } = planning.work
  const named = new Set(entries.map(({ account, name }) => `${account}/${name}`))
  const live = await ownedHubTokens(tables)
    .where('hub_tokens.revoked_at', 'is', null)
    // Sessions, and what people and jobs made for themselves, are in no file.
    .where('hub_tokens.origin', '=', 'admin')
    .orderBy('hub_tokens.id')
    .execute()
  for (const owned of live) {
    const name = `${owned.account}/${owned.name}`
    if (named.has(name)) continue
    planning.revoked.add(owned.id)
    addUnit(planning, [revokeOwned(owned, now)], [{ what: 'hub-token', name, did: 'revoked' }])
  }
}

export async function pruneRepositories(
  planning: Planning,
  entries: Section<RepositoryEntry>,
): Promise<undefined> {
  if (!planning.prune || entries === undefined) return
  const named = new Set(entries.map(pathOf))
  const repositories = planning.work.tables.selectFrom('repositories')
  for (const before of await repositories.selectAll().orderBy('path').execute()) {
    const { path: name } = before
    if (named.has(name)) continue
    planning.deletedRepositories.add(name)
    addUnit(
      planning,
      [{ thing: 'repository', before }],
      [{ what: 'repository', name, did: 'deleted' }],
    )
  }
}

export async function pruneNamespaces(
  planning: Planning,
  entries: Section<NamespaceEntry>,
): Promise<Refusal | undefined> {
  if (!planning.prune || entries === undefined) return undefined
  const named = new Set(entries.map(({ name }) => name))
  for (const [key, before] of planning.namespaces) {
    const { name } = before
    if (named.has(name)) continue
    const left = await repositoriesLeft(planning, before)
    const [first] = left
    if (first !== undefined) {
      return at(['namespaces'], namespaceNotEmpty(name, left.length, first))
    }
    planning.namespaces.delete(key)
    addUnit(
      planning,
      [{ thing: 'namespace', before }],
      [{ what: 'namespace', name, did: 'deleted' }],
    )
  }
  return undefined
}

async function repositoriesLeft(
  { work, deletedRepositories }: Planning,
  { id }: NamespaceRow,
): Promise<string[]> {
  const inside = work.tables.selectFrom('repositories').where('namespace_id', '=', id)
  const rows = await inside.select('path').orderBy('path').execute()
  return rows.map(({ path }) => path).filter((path) => !deletedRepositories.has(path))
}

export async function pruneAccounts(
  planning: Planning,
  entries: Section<AccountEntry>,
): Promise<undefined> {
  if (!planning.prune || entries === undefined) return
  const named = new Set(entries.map(({ name }) => name))
  for (const [key, before] of planning.accounts) {
    const { id, name, origin } = before
    // People who sign in are in no file. The account of a publisher goes with it.
    if (named.has(name) || origin !== 'admin' || planning.publisherAccounts.has(id)) continue
    planning.accounts.delete(key)
    addUnit(planning, [{ thing: 'account', before }], [{ what: 'account', name, did: 'deleted' }])
  }
}

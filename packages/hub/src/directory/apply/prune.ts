/** Deletes what the sections of a directory file do not name; a section that is absent prunes nothing. */

import {
  type AccountEntry,
  type HubTokenEntry,
  type NamespaceEntry,
  pathOf,
  type RepositoryEntry,
} from '@latchkey/admin-api'
import type { Refusal } from '@latchkey/protocol'
import { removeNamespace } from '../nouns/namespaces.ts'
import { ownedHubTokens, revokeOwned } from '../port/owned-hub-tokens.ts'
import { type Applying, at } from './applying.ts'

type Section<Entry> = readonly Entry[] | undefined

export async function pruneHubTokens(
  { work, prune, changes }: Applying,
  entries: Section<HubTokenEntry>,
): Promise<undefined> {
  if (!prune || entries === undefined) return
  const { tables, now, put } = work
  const named = new Set(entries.map(({ account, name }) => `${account}/${name}`))
  const live = await ownedHubTokens(tables)
    .where('hub_tokens.revoked_at', 'is', null)
    .orderBy('hub_tokens.id')
    .execute()
  const unnamed = live.filter(({ account, name }) => !named.has(`${account}/${name}`))
  await put(unnamed.map((owned) => revokeOwned(owned, now)))
  for (const { account, name } of unnamed) {
    changes.push({ what: 'hub-token', name: `${account}/${name}`, did: 'revoked' })
  }
}

export async function pruneRepositories(
  { work, prune, changes }: Applying,
  entries: Section<RepositoryEntry>,
): Promise<undefined> {
  if (!prune || entries === undefined) return
  const named = new Set(entries.map(pathOf))
  const stored = await work.tables.selectFrom('repositories').selectAll().orderBy('path').execute()
  const unnamed = stored.filter(({ path }) => !named.has(path))
  await work.put(unnamed.map((before) => ({ thing: 'repository', before })))
  for (const { path } of unnamed) changes.push({ what: 'repository', name: path, did: 'deleted' })
}

export async function pruneNamespaces(
  { work, prune, namespaces, changes }: Applying,
  entries: Section<NamespaceEntry>,
): Promise<Refusal | undefined> {
  if (!prune || entries === undefined) return undefined
  const named = new Set(entries.map(({ name }) => name))
  for (const [key, row] of namespaces) {
    if (named.has(row.name)) continue
    const refusal = await removeNamespace(work, row)
    if (refusal !== undefined) return at(['namespaces'], refusal)
    namespaces.delete(key)
    changes.push({ what: 'namespace', name: row.name, did: 'deleted' })
  }
  return undefined
}

export async function pruneAccounts(
  { work, prune, accounts, changes }: Applying,
  entries: Section<AccountEntry>,
): Promise<undefined> {
  if (!prune || entries === undefined) return
  const named = new Set(entries.map(({ name }) => name))
  const unnamed = Array.from(accounts.values()).filter(({ name }) => !named.has(name))
  await work.put(unnamed.map((before) => ({ thing: 'account', before })))
  for (const { name } of unnamed) {
    accounts.delete(name.toLowerCase())
    changes.push({ what: 'account', name, did: 'deleted' })
  }
}

/** Deletes what the sections of a directory file do not name; a section that is absent prunes nothing. */

import type { Refusal } from '@latchkey/protocol'
import { chunked } from '../columns.ts'
import { removeNamespace } from '../namespaces.ts'
import { type Applying, at } from './applying.ts'
import {
  type AccountEntry,
  type HubTokenEntry,
  type NamespaceEntry,
  pathOf,
  type RepositoryEntry,
} from './directory-file.ts'

type Section<Entry> = readonly Entry[] | undefined

export async function pruneHubTokens(
  { work, prune, changes }: Applying,
  entries: Section<HubTokenEntry>,
): Promise<undefined> {
  if (!prune || entries === undefined) return
  const { tables, now } = work
  const named = new Set(entries.map(({ account, name }) => keyOf(account, name)))
  const live = await tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .select(['hub_tokens.id', 'hub_tokens.name', 'accounts.name as account'])
    .where('hub_tokens.revoked_at', 'is', null)
    .orderBy('hub_tokens.id')
    .execute()
  const unnamed = live.filter(({ account, name }) => !named.has(keyOf(account, name)))
  for (const rows of chunked(unnamed)) {
    await tables
      .updateTable('hub_tokens')
      .set({ revoked_at: now })
      .where('id', 'in', idsOf(rows))
      .execute()
  }
  for (const { account, name } of unnamed) {
    changes.push({ what: 'hub-token', name: `${account}/${name}`, did: 'revoked' })
  }
}

export async function pruneRepositories(
  { work, prune, changes }: Applying,
  entries: Section<RepositoryEntry>,
): Promise<undefined> {
  if (!prune || entries === undefined) return
  const { tables } = work
  const named = new Set(entries.map(pathOf))
  const stored = await tables
    .selectFrom('repositories')
    .select(['uid as id', 'path'])
    .orderBy('path')
    .execute()
  const unnamed = stored.filter(({ path }) => !named.has(path))
  for (const rows of chunked(unnamed)) {
    await tables.deleteFrom('repositories').where('uid', 'in', idsOf(rows)).execute()
  }
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
    const refusal = await removeNamespace(work.tables, row)
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
  for (const rows of chunked(unnamed)) {
    await work.tables.deleteFrom('accounts').where('id', 'in', idsOf(rows)).execute()
  }
  for (const { name } of unnamed) {
    accounts.delete(name.toLowerCase())
    changes.push({ what: 'account', name, did: 'deleted' })
  }
}

function keyOf(account: string, name: string): string {
  return `${account}/${name}`
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

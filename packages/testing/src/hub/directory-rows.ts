/** The rows of the directory's tables as its journal tells them: secrets, bookkeeping and positions apart. */

import type { Dump } from './dump.ts'

export type Row = Readonly<Record<string, unknown>>

/** The columns by which a row is known. */
const keys = {
  accounts: ['id'],
  namespaces: ['id'],
  members: ['namespace_id', 'account_id'],
  repositories: ['uid'],
  collaborators: ['repository_uid', 'account_id'],
  trusted_publishers: ['account_id'],
  teams: ['id'],
  team_members: ['team_id', 'account_id'],
  team_groups: ['team_id', 'provider', 'group_name'],
  team_roles: ['repository_uid', 'team_id'],
  refs: ['uid'],
  commits: ['uid'],
  commit_holders: ['repository_uid', 'hash', 'ref_uid'],
  hub_tokens: ['id'],
  identities: ['issuer', 'subject'],
  group_members: ['team_id', 'provider', 'group_name', 'issuer', 'subject'],
  signing_keys: ['kid'],
  hub_token_prefixes: ['prefix'],
  forge: ['place'],
} as const

export type Table = keyof typeof keys
export type Rows = Readonly<Record<Table, readonly Row[]>>

/** Their order decides which of two is older, so it is compared. */
const ordered: ReadonlySet<Table> = new Set(['refs', 'commit_holders'])

/** No entry holds a secret; last use and the start of a forge are written without an entry. */
const untold: ReadonlySet<string> = new Set([
  ...['position', 'secret_hash', 'sealed', 'last_used_at', 'start'],
])

export function keyOf(table: Table, row: Row): string {
  return JSON.stringify(keys[table].map((column) => row[column]))
}

export function eachTable<Of>(make: (table: Table) => Of): Record<Table, Of> {
  const tables = Object.keys(keys) as Table[]
  return Object.fromEntries(tables.map((table) => [table, make(table)])) as Record<Table, Of>
}

/** The end of a membership from a provider is renewed without an entry. */
const untoldOf: Partial<Record<Table, string>> = { group_members: 'until' }

export function told(table: Table, row: Row): Row {
  const isTold = (column: string) => !untold.has(column) && untoldOf[table] !== column
  return Object.fromEntries(Object.entries(row).filter(([column]) => isTold(column)))
}

/** Where the order of making does not count, the order is that of the keys. */
export function inOrder(table: Table, rows: readonly Row[]): readonly Row[] {
  if (ordered.has(table)) return rows
  return rows.toSorted((one, other) => (keyOf(table, one) < keyOf(table, other) ? -1 : 1))
}

export function rowsIn(all: Dump): Rows {
  return eachTable((table) => {
    const rows = (all[table] ?? []).toSorted((one, other) => positionOf(one) - positionOf(other))
    return inOrder(
      table,
      rows.map((row) => told(table, row)),
    )
  })
}

function positionOf({ position }: Row): number {
  return typeof position === 'number' ? position : 0
}

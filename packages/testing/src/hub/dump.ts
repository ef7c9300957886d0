/** Everything a database holds, in a form that can be compared; and whether it is whole. */

import { DatabaseSync } from 'node:sqlite'

type Row = Record<string, unknown>
export type Dump = Readonly<Record<string, readonly Row[]>>

/** Every row of every table. Opening it recovers what a crash has left, as the next start would. */
export function dump(file: string): Dump {
  return withDatabase(file, (database) => {
    const tables = namesOfTables(database)
    return Object.fromEntries(
      tables.map((table) => [table, database.prepare(`SELECT * FROM "${table}"`).all() as Row[]]),
    )
  })
}

/** Complaints of SQLite about the file; none when all is well. */
export function complaints(file: string): unknown[] {
  return withDatabase(file, (database) => {
    const integrity = database.prepare('PRAGMA integrity_check').all()
    const strays = database.prepare('PRAGMA foreign_key_check').all()
    return [...integrity.filter((row) => row['integrity_check'] !== 'ok'), ...strays]
  })
}

/** What a dump says, without the ids, secrets and moments that differ from run to run. */
export function meaning(all: Dump): Record<string, string[]> {
  const names = namesOfIds(all)
  const named = (value: unknown) => names.get(String(value)) ?? value
  return Object.fromEntries(
    Object.entries(all).map(([table, rows]) => [
      table,
      rows.map((row) => JSON.stringify(mapRow(row, named))).sort(),
    ]),
  )
}

const differing = new Set([
  ...['secret_hash', 'hint', 'position', 'sealed', 'kid', 'seq'],
  // Of the journal stays which entries there are, not when they came.
  ...['number', 'previous', 'at_milliseconds', 'detail', 'pruned_through', 'mark', 'is_open'],
  ...['epoch', 'forked_number', 'recorded_number', 'made'],
])

function mapRow(row: Row, named: (value: unknown) => unknown): Row {
  const kept = Object.entries(row).filter(
    ([column]) => !differing.has(column) && !column.endsWith('_at'),
  )
  const present = {
    revoked: typeof row['revoked_at'] === 'number',
    raised: Number(row['epoch'] ?? 0) > 0,
    forked: typeof row['forked_number'] === 'number',
  }
  return {
    ...Object.fromEntries(kept.map(([column, value]) => [column, named(value)])),
    ...present,
  }
}

/** What people call the thing behind each id. */
function namesOfIds(all: Dump): Map<string, string> {
  const names = new Map<string, string>()
  const name = (table: string, id: string, ...parts: readonly string[]) => {
    for (const row of all[table] ?? []) {
      const text = parts.map((part) => names.get(String(row[part])) ?? row[part]).join(' ')
      names.set(String(row[id]), `${table}: ${text}`)
    }
  }
  name('accounts', 'id', 'name')
  name('namespaces', 'id', 'name')
  name('repositories', 'uid', 'path')
  name('refs', 'uid', 'repository_uid', 'name')
  name('commits', 'uid', 'repository_uid', 'hash')
  name('hub_tokens', 'id', 'account_id', 'name')
  return names
}

function namesOfTables(database: DatabaseSync): string[] {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
  return rows.all().map(({ name }) => String(name))
}

function withDatabase<Result>(file: string, look: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file)
  try {
    return look(database)
  } finally {
    database.close()
  }
}

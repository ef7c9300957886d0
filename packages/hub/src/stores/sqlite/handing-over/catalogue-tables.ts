/** The tables in which hubs of earlier versions kept the storage's catalogue. */

import type { DatabaseSync } from 'node:sqlite'

/** The columns by which a row of one file is found in the other. */
const columns = {
  stored_xorbs: ['ref_uid', 'hash', 'repository_uid', 'digest'],
  stored_files: ['ref_uid', 'hash', 'repository_uid', 'terms'],
  stored_chunks: ['ref_uid', 'hash', 'repository_uid', 'xorb_hash'],
} as const

const totals = 'stored_totals'

export const catalogueTables: readonly string[] = [...Object.keys(columns), totals]

/** What the schema says of a table, an index or a trigger. */
export interface SchemaEntry {
  readonly type: string
  readonly sql: string
}

/** The tables with their indexes and triggers; none when the catalogue is not in this file. */
export function catalogueSchema(database: DatabaseSync): readonly SchemaEntry[] {
  const names = catalogueTables.map((name) => `'${name}'`).join(', ')
  const rows = database.prepare(
    `SELECT type, sql FROM sqlite_schema WHERE tbl_name IN (${names}) AND sql IS NOT NULL ORDER BY rowid`,
  )
  return rows.all().map(({ type, sql }) => ({ type: String(type), sql: String(sql) }))
}

export function hasCatalogue(database: DatabaseSync): boolean {
  return catalogueSchema(database).length > 0
}

/** Totals of 0 stay behind when the last content of a repository goes: they say nothing. */
export function hasContent(database: DatabaseSync): boolean {
  return Object.keys(columns).some(
    (table) => database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  )
}

/** Whether every row of the catalogue is in the other file too, so that dropping the tables loses nothing. */
export function isWholeIn(other: DatabaseSync, database: DatabaseSync): boolean {
  return Object.entries(columns).every(([table, compared]) => {
    const same = compared.map((column) => `${column} = ?`).join(' AND ')
    const find = other.prepare(`SELECT 1 FROM ${table} WHERE ${same}`)
    const rows = database.prepare(`SELECT ${compared.join(', ')} FROM ${table}`)
    return rows
      .iterate()
      .every((row) => find.get(...compared.map((column) => row[column] ?? null)) !== undefined)
  })
}

/** One transaction; indexes and triggers go with their tables. */
export function dropCatalogue(database: DatabaseSync): void {
  const drops = catalogueTables.map((table) => `DROP TABLE IF EXISTS ${table};`)
  database.exec(`BEGIN IMMEDIATE; ${drops.join(' ')} COMMIT`)
}

/** For a new file, whose first migrations have made the tables. Other processes may do the same at the same time. */
export function dropEmptyCatalogue(database: DatabaseSync): void {
  if (!hasCatalogue(database)) return
  database.exec('BEGIN IMMEDIATE')
  try {
    const isEmpty = hasCatalogue(database) && !hasContent(database)
    if (isEmpty) for (const table of catalogueTables) database.exec(`DROP TABLE ${table}`)
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

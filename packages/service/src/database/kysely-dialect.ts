/** Kysely on top of node:sqlite. */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'
import { GrowingCache } from '../limits/growing-cache.ts'

/** Preparing costs more than most statements do. */
const mostPrepared = 200

export function tablesOf<Schema>(database: DatabaseSync): Kysely<Schema> {
  return new Kysely({ dialect: new SqliteDialect({ database: adapt(database) }) })
}

function adapt(database: DatabaseSync): SqliteDatabase {
  const prepared = new GrowingCache<string, SqliteStatement>({ most: mostPrepared })
  return {
    close: () => database.close(),
    prepare(sql) {
      // On a full disk SQLite has rolled back already.
      if (sql === 'rollback' && !database.isTransaction) return nothing
      const statement = prepared.get(sql) ?? prepare(database, sql)
      prepared.set(sql, statement)
      return statement
    },
  }
}

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  // A transaction that takes its write lock at once cannot fail half-way for want of it.
  const statement = database.prepare(sql === 'begin' ? 'BEGIN IMMEDIATE' : sql)
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as SQLInputValue[])),
    run: (values) => statement.run(...(values as SQLInputValue[])),
    iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
  }
}

const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
}

/** Kysely on top of one connection, in whose transaction every query runs. */

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { QueryAnswer } from './ask.ts'

export type Execute = (text: string, values: readonly unknown[]) => Promise<QueryAnswer>

/** Of a stream whose reader does not say. */
const rowsAtOnce = 100

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export function tablesOn<Schema>(execute: Execute): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: dialect(connection(execute)) })
}

function dialect(single: DatabaseConnection): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver(single),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function driver(single: DatabaseConnection): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => single,
    beginTransaction: inside,
    commitTransaction: inside,
    rollbackTransaction: inside,
    releaseConnection: async () => {},
    destroy: async () => {},
  }
}

async function inside(): Promise<never> {
  throw new Error('this is inside a transaction already')
}

function connection(execute: Execute): DatabaseConnection {
  let cursors = 0
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { command, rowCount, rows } = await execute(sql, parameters)
      return {
        // The row's type is what the query was built for.
        rows: rows as Row[],
        ...(changing.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
      }
    },
    // A cursor, so that many rows need not be in memory at once. It ends with the transaction.
    async *streamQuery<Row>({ sql, parameters }: CompiledQuery, chunkSize = rowsAtOnce) {
      cursors += 1
      const cursor = `latchkey_${cursors}`
      await execute(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, parameters)
      for (;;) {
        const { rows } = await execute(`FETCH ${chunkSize} FROM ${cursor}`, [])
        if (rows.length > 0) yield { rows: rows as Row[] }
        if (rows.length < chunkSize) break
      }
      await execute(`CLOSE ${cursor}`, [])
    },
  }
}

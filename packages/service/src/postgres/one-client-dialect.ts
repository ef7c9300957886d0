/** Kysely on top of one connection, in whose transaction every query runs. */

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Answer } from './ask.ts'

export type Execute = (text: string, values: readonly unknown[]) => Promise<Answer>

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export function tablesOn<Schema>(
  execute: Execute,
  plugins: readonly KyselyPlugin[],
): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: dialect(connection(execute)), plugins: [...plugins] })
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
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { command, rowCount, rows } = await execute(sql, parameters)
      return {
        // The row's type is what the query was built for.
        rows: rows as Row[],
        ...(changing.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
      }
    },
    // biome-ignore lint/correctness/useYield: nothing is streamed
    async *streamQuery() {
      throw new Error('rows of a transaction are not streamed')
    },
  }
}

/** One connection for all writers: transactions run one after the other, each whole or not at all. */

import type { DatabaseSync } from 'node:sqlite'
import { isRefusal, type Refusal, turns } from '@latchkey/protocol'
import type { Kysely } from 'kysely'
import { tablesOf } from './kysely-dialect.ts'
import { repeatWhileBusy } from './repeat-while-busy.ts'
import { isBusy, isFull, StorageFull } from './sqlite-error.ts'

/** Another process may be writing, and SQLite lets one at a time: longer than its longest transaction. */
const lockWaitMs = 20_000

export interface WriterQueue<Schema> {
  read<Result>(work: (tables: Kysely<Schema>) => Promise<Result>): Promise<Result>
  /** One transaction; a refusal or an exception rolls it back. */
  change<Result>(
    work: (tables: Kysely<Schema>) => Promise<Result | Refusal>,
  ): Promise<Result | Refusal>
}

export function writerQueue<Schema>(database: DatabaseSync): WriterQueue<Schema> {
  const tables = tablesOf<Schema>(database)
  // Reads queue too, so that all statements of a read find the same rows.
  const inTurn = turns()
  return {
    read: (work) => inTurn(() => work(tables)),
    change: (work) =>
      inTurn(() => repeatWhileBusy(() => transact(tables, work), { isBusy, mostMs: lockWaitMs })),
  }
}

async function transact<Schema, Result>(
  tables: Kysely<Schema>,
  work: (tables: Kysely<Schema>) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  try {
    return await tables.transaction().execute(async (transaction) => {
      const result = await work(transaction)
      if (isRefusal(result)) throw new Rollback(result)
      return result
    })
  } catch (error) {
    if (error instanceof Rollback) return error.refusal
    throw isFull(error) ? new StorageFull() : error
  }
}

/** Carries a refusal out of a transaction, so that the transaction is rolled back. */
class Rollback extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('rolled back')
    this.refusal = refusal
  }
}

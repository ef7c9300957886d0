/** The directory's port on SQLite: one writer, whose transactions queue. */

import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { Kysely } from 'kysely'
import { type Directory, StorageFull, type Tables } from '../../directory/directory.ts'
import type { Schema } from '../../directory/schema.ts'
import { nodeSqliteDialect } from './kysely-dialect.ts'
import { isBusy, isFull } from './open-database.ts'

/** Longer than the largest files take to apply. */
const patienceMs = 20_000

/** Carries a refusal out of a transaction, so that the transaction is undone. */
class Undo extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('undone')
    this.refusal = refusal
  }
}

export function sqliteDirectory(database: DatabaseSync): Directory {
  const tables = tablesOf(database)
  let last: Promise<unknown> = Promise.resolve()
  // One connection: whatever runs beside an open transaction would run inside it.
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  return {
    read: (work) => inTurn(() => work(tables)),
    change: (work) => inTurn(() => patiently(() => changeOnce(tables, work))),
  }
}

export function tablesOf(database: DatabaseSync): Tables {
  return new Kysely<Schema>({ dialect: nodeSqliteDialect(database) })
}

async function changeOnce<Result>(
  tables: Tables,
  work: (tables: Tables) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  try {
    return await tables.transaction().execute(async (transaction) => {
      const result = await work(transaction)
      if (isRefusal(result)) throw new Undo(result)
      return result
    })
  } catch (error) {
    if (error instanceof Undo) return error.refusal
    throw isFull(error) ? new StorageFull() : error
  }
}

/** Another process may be writing; SQLite lets one at a time. */
async function patiently<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const giveUp = performance.now() + patienceMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUp) throw error
      await delay(25)
    }
  }
}

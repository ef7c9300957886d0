/** What a caller can act on has its own class; any other error stays as it is. */

import { StorageFull } from '../database/sqlite-error.ts'
import { DatabaseAway, DatabaseBusy } from '../machine/database-away.ts'
import { explainPostgres } from './explain-postgres.ts'
import { CommitLost, ConnectionLost, NoConnection, NoneFree, OtherServer } from './own-errors.ts'
import { isBusy, isDiskFull, isReadOnlyServer } from './postgres-error.ts'
import type { PostgresSettings } from './settings.ts'
import type { TransactionKind } from './transaction.ts'

export async function translated<Result>(
  settings: PostgresSettings,
  kind: TransactionKind,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translate(error, settings, kind)
  }
}

function translate(error: unknown, settings: PostgresSettings, kind: TransactionKind): unknown {
  if (isDiskFull(error)) return new StorageFull()
  if (isBusy(error) || error instanceof NoneFree)
    return new DatabaseBusy(explainPostgres(error, settings))
  // A read that writes is a mistake of its caller, not of the server.
  if (!isAway(error) && !(kind === 'change' && isReadOnlyServer(error))) return error
  const mayHaveTakenEffect = error instanceof CommitLost
  return new DatabaseAway(explainPostgres(error, settings), { mayHaveTakenEffect })
}

function isAway(error: unknown): boolean {
  return (
    error instanceof NoConnection || error instanceof ConnectionLost || error instanceof OtherServer
  )
}

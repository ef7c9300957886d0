/** One transaction on one connection: its beginning in one round trip, its questions in turn, its end. */

import { turns } from '@latchkey/protocol'
import type { PoolClient } from 'pg'
import { StorageFull } from '../database/sqlite-error.ts'
import { DatabaseBusy, DatabaseUnavailable } from '../machine/errors.ts'
import { ask, askAll, type QueryAnswer } from './ask.ts'
import { explainPostgres } from './explain-postgres.ts'
import {
  CommitLost,
  ConnectionLost,
  isBusy,
  isDiskFull,
  isReadOnlyServer,
  NoConnection,
  NoneFree,
  OtherServer,
} from './postgres-error.ts'
import { type ExpectedServer, serverMismatch } from './server-guard.ts'
import type { PostgresSettings } from './settings.ts'

interface TransactionOptions {
  readonly schema: string
  readonly lockTimeoutMs: number
  readonly statementTimeoutMs: number
  readonly deadlineMs: number
  readonly primaryOnly: boolean
  readonly guard?: ExpectedServer | undefined
}

export type TransactionKind = 'read' | 'change'

const modes: Readonly<Record<TransactionKind, string>> = {
  read: 'ISOLATION LEVEL REPEATABLE READ READ ONLY',
  change: 'ISOLATION LEVEL READ COMMITTED',
}

export interface Transaction {
  begin(): Promise<void>
  execute(text: string, values: readonly unknown[]): Promise<QueryAnswer>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Settings hold for the transaction alone, so that they work behind a pooler. */
function beginText(kind: TransactionKind, options: TransactionOptions): string {
  const { schema, lockTimeoutMs, statementTimeoutMs } = options
  return [
    `BEGIN ${modes[kind]}`,
    // Temporary tables come last, so that none can stand in for a table of ours.
    `SET LOCAL search_path = ${schema}, pg_temp`,
    `SET LOCAL lock_timeout = ${lockTimeoutMs}`,
    `SET LOCAL statement_timeout = ${statementTimeoutMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
    'SET LOCAL synchronous_commit = on',
    'SET LOCAL jit = off',
    options.guard?.question ?? 'SELECT pg_is_in_recovery() AS replica',
  ].join('; ')
}

export function transaction(
  client: PoolClient,
  kind: TransactionKind,
  options: TransactionOptions,
): Transaction {
  const { deadlineMs, primaryOnly, guard } = options
  let isOver = false
  // The driver takes one question at a time; a caller may ask several at once.
  const inTurn = turns()
  return {
    async begin() {
      const answers = await askAll(client, beginText(kind, options), deadlineMs)
      const row = answers.at(-1)?.rows[0]
      if (guard?.isServer(row) === false) throw new OtherServer(serverMismatch)
      if (primaryOnly && row?.['replica'] === 1) {
        throw new OtherServer('it is a read-only replica. Name the primary in the address.')
      }
    },
    execute(text, values) {
      // The connection may be another transaction's by now.
      if (isOver) throw new Error('the transaction is over')
      return inTurn(() => ask(client, { text, values: [...values] }, deadlineMs))
    },
    commit() {
      isOver = true
      return inTurn(() => commit(client, deadlineMs))
    },
    rollback() {
      isOver = true
      return inTurn(async () => void (await ask(client, 'ROLLBACK', deadlineMs)))
    },
  }
}

async function commit(client: PoolClient, deadlineMs: number): Promise<void> {
  try {
    const { command } = await ask(client, 'COMMIT', deadlineMs)
    if (command === 'COMMIT') return
  } catch (error) {
    throw error instanceof ConnectionLost ? new CommitLost(error.reason) : error
  }
  // PostgreSQL answers so where a statement failed and the caller went on.
  throw new Error('the transaction was rolled back because one of its statements had failed')
}

export async function translateErrors<Result>(
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
  return new DatabaseUnavailable(explainPostgres(error, settings), { mayHaveTakenEffect })
}

function isAway(error: unknown): boolean {
  return (
    error instanceof NoConnection || error instanceof ConnectionLost || error instanceof OtherServer
  )
}

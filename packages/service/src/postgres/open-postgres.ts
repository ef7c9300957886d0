/** A PostgreSQL database for a service: reads from one snapshot, changes that happen whole or not at all. */

import { isRefusal, type TurnRunner } from '@latchkey/protocol'
import type { Kysely } from 'kysely'
import type { PoolClient } from 'pg'
import { repeatWhileBusy, type WriterQueue } from '../database/writer-queue.ts'
import { shares } from '../limits/shares.ts'
import { ask, type NamedQuery } from './ask.ts'
import { type Connections, connections } from './connections.ts'
import { schemaName } from './migrate-postgres.ts'
import { prepareServer, type SchemaToMigrate, tablesOn } from './one-client-dialect.ts'
import { ConnectionLost, isBusy, isStalePlan, NoneFree, OtherServer } from './postgres-error.ts'
import { type ServerGuard, serverMismatch } from './server-guard.ts'
import type { PostgresSettings } from './settings.ts'
import {
  type Transaction,
  type TransactionKind,
  transaction,
  translateErrors,
} from './transaction.ts'
import { reconnectWaitMs, waitUntilBack } from './wait-until-back.ts'

export interface PostgresOptions {
  readonly settings: PostgresSettings
  /** Where unqualified names of tables are looked up. */
  readonly schema: string
  /** Brought to this program's version first, by the connection that is then used. Its role must have all rights. */
  readonly migrated?: SchemaToMigrate
  readonly connections?: number
  /** How many changes this process makes at the same time. */
  readonly changesAtOnce?: number
  /** Reads never take this number of connections: however slow they are, a change goes through. */
  readonly keptForChanges?: number
  /** Below the statement's, which would otherwise hide that it was a lock. */
  readonly lockTimeoutMs?: number
  readonly statementTimeoutMs?: number
  /** After this the connection is closed, because the server itself would have given up before. */
  readonly deadlineMs?: number
  /** How long a change is repeated while others are in its way. */
  readonly busyWaitMs?: number
  /** Refuse a replica also for reading; true unless told otherwise. */
  readonly primaryOnly?: boolean
  /** How long work waits for a server that cannot be reached before it fails; 0 to fail at once. */
  readonly reconnectWaitMs?: number
}

export interface PostgresDatabase<Schema> extends WriterQueue<Schema> {
  query<Row>(query: NamedQuery): Promise<readonly Row[]>
  /** A pooler such as pgbouncer stands before the server: LISTEN needs another address. */
  isPooled(): boolean
  /** The same connections. Every transaction and statement compares the server before its result is used. */
  guardedBy(guard: ServerGuard): GuardedDatabase<Schema>
  /** Connections of before are not used any more: they may lead to a server whose place another one has taken. */
  renew(): void
  close(): Promise<void>
}

export type GuardedDatabase<Schema> = Pick<PostgresDatabase<Schema>, 'read' | 'change' | 'query'>

/** Throws `CannotStart` where the server cannot be used. */
export async function openPostgres<Schema>(
  options: PostgresOptions,
): Promise<PostgresDatabase<Schema>> {
  const { settings, deadlineMs = 10_000, changesAtOnce = 1, busyWaitMs = 20_000 } = options
  const { connections: most = 10, keptForChanges = 0 } = options
  const { reconnectWaitMs: maxWaitMs = reconnectWaitMs } = options
  const pool = connections(settings, { most, deadlineMs })
  const transact = transacting<Schema>(pool, options)
  const inChange = changeSlots(changesAtOnce, busyWaitMs)
  const inConnection = connectionSlots(most, settings)
  const inReadSlot = connectionSlots(most - keptForChanges, settings)
  const inReading: TurnRunner = (work) => inReadSlot(() => inConnection(work))
  const withGuard = (guard: ServerGuard | undefined): GuardedDatabase<Schema> => {
    const isBack = guard?.meet ?? (() => inConnection(() => canConnect(pool)))
    const waiting = waitUntilBack({ isBack, maxWaitMs })
    const run = async <Result>(kind: TransactionKind, work: () => Promise<Result>) =>
      waiting(() => translateErrors(settings, kind, work))
    return {
      read: (work) => run('read', () => inReading(() => transact('read', work, guard))),
      change: (work) =>
        run('change', () => {
          const startedMs = performance.now()
          const attempt = () => inConnection(() => transact('change', work, guard))
          // The time it waited for its turn counts: a client waits for the whole.
          const restMs = () => busyWaitMs - (performance.now() - startedMs)
          return inChange(() => repeatWhileBusy(attempt, { isBusy, maxMs: restMs() }))
        }),
      query: (query) =>
        run('read', () => inReading(() => oneQuery(pool, query, { deadlineMs, guard }))),
    }
  }
  await prepareServer(pool, options)
  return {
    ...withGuard(undefined),
    isPooled: pool.isPooled,
    guardedBy: withGuard,
    renew: pool.renew,
    close: pool.close,
  }
}

async function canConnect(pool: Connections): Promise<boolean> {
  const client = await pool.take()
  client.release()
  return true
}

function connectionSlots(max: number, { connectTimeoutMs }: PostgresSettings): TurnRunner {
  const inUse = `all ${max} connections that this process has for it are in use`
  const late = `${inUse}. Look for slow statements in pg_stat_activity.`
  return inSlots(max, connectTimeoutMs, late)
}

function changeSlots(max: number, maxWaitMs: number): TurnRunner {
  const late = 'other changes of this process took too long. Try again in a moment.'
  return inSlots(max, maxWaitMs, late)
}

/** In the order of the calls: those who wait are bounded by the requests that the process serves. */
function inSlots(max: number, maxWaitMs: number, late: string): TurnRunner {
  const [payer, unlimited] = [{ account: 'process' }, Number.POSITIVE_INFINITY]
  const waiting = { maxWaiting: unlimited, maxWaitingOfAccount: unlimited }
  const slots = shares({ max, ...waiting, maxWaitSeconds: maxWaitMs / 1000 })
  return async (work) => {
    const release = slots.takeNow(payer) ?? (await slots.take(payer))
    if (isRefusal(release)) throw new NoneFree(late)
    try {
      return await work()
    } finally {
      release()
    }
  }
}

type Work<Schema, Result> = (tables: Kysely<Schema>) => Promise<Result>

function transacting<Schema>(pool: Connections, options: PostgresOptions) {
  const { lockTimeoutMs = 4500, statementTimeoutMs = 5000, deadlineMs = 10_000 } = options
  const { primaryOnly = true } = options
  const schema = schemaName(options.schema)
  const bounds = { schema, lockTimeoutMs, statementTimeoutMs, deadlineMs, primaryOnly }
  return async <Result>(
    kind: TransactionKind,
    work: Work<Schema, Result>,
    guard: ServerGuard | undefined,
  ): Promise<Result> => {
    const expected = guard?.expect()
    const client = await pool.take()
    const current = transaction(client, kind, { ...bounds, guard: expected })
    return await finish(client, current, async () => {
      await current.begin()
      return await work(tablesOn<Schema>(current.execute))
    })
  }
}

/** Commits unless the work threw or was refused; a connection whose transaction did not end, or to another server, is closed. */
async function finish<Result>(
  client: PoolClient,
  current: Transaction,
  work: () => Promise<Result>,
): Promise<Result> {
  let ended = false
  let isOther = false
  try {
    const result = await work()
    if (!isRefusal(result)) {
      await current.commit()
      ended = true
    }
    return result
  } catch (error) {
    isOther = error instanceof OtherServer
    throw error
  } finally {
    client.release(isOther || !(ended || (await isRolledBack(current))))
  }
}

function isRolledBack(current: Transaction): Promise<boolean> {
  return current.rollback().then(
    () => true,
    () => false,
  )
}

interface QueryOptions {
  readonly deadlineMs: number
  readonly guard: ServerGuard | undefined
}

async function oneQuery<Row>(
  pool: Connections,
  { name, text, values = [] }: NamedQuery,
  { deadlineMs, guard }: QueryOptions,
): Promise<readonly Row[]> {
  const expected = guard?.expect()
  const client = await pool.take()
  let isUsable = true
  try {
    const question = { ...(!pool.isPooled() && { name }), text, values: [...values] }
    const { rows } = await ask(client, question, deadlineMs)
    if (expected?.isServer(rows[0]) === false) throw new OtherServer(serverMismatch)
    // The row's type is what the caller wrote the statement for.
    return rows as Row[]
  } catch (error) {
    isUsable = !(
      error instanceof ConnectionLost ||
      error instanceof OtherServer ||
      isStalePlan(error)
    )
    throw error
  } finally {
    client.release(!isUsable)
  }
}

/** PostgreSQL as a store: connections for changes and reads, others for the hot path, one each to ask and to hear of changes. */

import { copyBetween } from '@latchkey/service/copy'
import { machineUser } from '@latchkey/service/machine/data-directory'
import {
  listenPostgres,
  openPostgres,
  type PostgresOptions,
  type PostgresSettings,
  placeOf,
} from '@latchkey/service/postgres'
import type { Staleness } from '../../access/moment.ts'
import type { Now } from '../../journal/append-entries.ts'
import { type DirectoryWriters, journaledDirectory } from '../../journal/journaled-directory.ts'
import type { Change, Origin } from '../../tables/change.ts'
import type { Schema } from '../../tables/schema.ts'
import { copiedDirectory } from '../../tables/table-columns.ts'
import { openSqliteTarget } from '../sqlite/open-store.ts'
import { defaultStaleness, type Store, type StoreTell } from '../store.ts'
import { openPostgresSource } from './copy-side.ts'
import { exchangeCounts } from './exchange-counts.ts'
import { followHead } from './follow-head.ts'
import { comparedServer, comparingFunctions, meetServer } from './known-server.ts'
import { channel } from './migrations/0001-directory.ts'
import { migrations } from './migrations/migrations.ts'
import { postgresAccess } from './postgres-access.ts'
import { hubSchema as schema } from './server-name.ts'

export interface PostgresStoreOptions {
  /** Make the schema where there is none. */
  readonly create: boolean
  readonly nowMs?: Now
  readonly staleness?: Staleness
  /** The name of the hub that this process serves for: it hears of changes at once, and counts with other hubs. */
  readonly hub?: string | undefined
  /** The server itself, where the settings lead through a pooler, through which notifications do not come. */
  readonly listenAt?: PostgresSettings | undefined
  readonly tell?: StoreTell
}

/** A question of the hot path is answered in milliseconds, or the server is in trouble. */
const hotDeadlineMs = 3000

export async function openPostgresStore(
  settings: PostgresSettings,
  {
    create,
    nowMs = Date.now,
    staleness = defaultStaleness,
    hub,
    listenAt = settings,
    tell = () => {},
  }: PostgresStoreOptions,
): Promise<Store> {
  const closing: (() => Promise<void>)[] = []
  const close = async () => {
    for (const one of closing.splice(0).toReversed()) await one()
  }
  try {
    const database = await openPostgres<Schema>({
      settings,
      schema,
      keptForChanges: 1,
      migrated: {
        ...{ schema, migrations, functions: comparingFunctions },
        missing: create ? undefined : noSchemaIn(settings),
      },
    })
    closing.push(database.close)
    const hot = await openPostgres<Schema>({ ...quick(settings), connections: 4 })
    closing.push(hot.close)
    // Of its own: however many reads are slow, the head is heard of.
    const asking = await openPostgres<Schema>({ ...quick(settings), connections: 1 })
    closing.push(asking.close)

    const origin: Origin = { verb: 'serve', user: machineUser() }
    const meet = async (changes: readonly Change[], highestNumber = 0) => {
      // Its numbers are larger than all that this hub has seen. It compares, so nothing compares it.
      const { read, change } = database
      const meeting = journaledDirectory({ read, readBeside: read, change }, nowMs)
      const met = await meetServer(meeting, { origin, schema, changes, highestNumber })
      if (met.isOther) tell('database_replaced', { reason: replaced })
      return met.server
    }
    const head = await followHead({
      database: asking,
      schema,
      staleness,
      server: await meet([]),
      onOtherServer: (highestNumber) => meet([{ thing: 'hub' }], highestNumber),
      tell,
    })
    closing.push(head.close)
    // From here on the hub uses no server that it has not compared.
    const guard = comparedServer(head, schema)
    const compared = database.guardedBy(guard)
    const writers: DirectoryWriters = {
      read: compared.read,
      readBeside: compared.read,
      async change(work) {
        const result = await compared.change(work)
        // The caller finds its own change at this hub from then on.
        await head.look()
        return result
      },
    }
    const directory = journaledDirectory(writers, nowMs)
    const exchange =
      hub === undefined ? undefined : exchangeCounts({ database: compared, schema, hub })
    if (exchange !== undefined) {
      closing.push(exchange.close)
      // The number is not believed: whoever may connect to the database can notify, and of a number there may never be.
      const onNotify = () => void head.look()
      const onUp = () => {
        tell('notifications_recovered', {})
        void head.look()
      }
      const onDown = (reason: string) => tell('notifications_lost', { reason })
      closing.push(listenPostgres({ settings: listenAt, channel, onNotify, onUp, onDown }).close)
    }
    return {
      directory,
      counts: exchange?.counts,
      readBeside: (work) => compared.read(work),
      access: postgresAccess(hot.guardedBy(guard), { schema, head }),
      async isReady() {
        return isKnown(head.version)
      },
      backup: (file) => backUp(settings, file),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const replaced =
  'Another server or an older copy has taken its place. Every storage token of before has ended.'

function quick(settings: PostgresSettings): PostgresOptions {
  const connectTimeoutMs = Math.min(settings.connectTimeoutMs, hotDeadlineMs)
  return {
    settings: { ...settings, connectTimeoutMs },
    schema,
    deadlineMs: hotDeadlineMs,
    // Requests wait in the access room instead, where they take the new number of the journal along.
    reconnectWaitMs: 0,
  }
}

function noSchemaIn(settings: PostgresSettings): string {
  return `PostgreSQL (${placeOf(settings)}) has no schema ${schema}. Start a hub on it, or run "latchkey migrate".`
}

function isKnown(version: () => unknown): boolean {
  try {
    version()
    return true
  } catch {
    return false
  }
}

/** Copies one consistent snapshot, while others read and write. */
async function backUp(settings: PostgresSettings, file: string): Promise<void> {
  await copyBetween(copiedDirectory, {
    openSource: () => openPostgresSource(settings),
    openTarget: async () => openSqliteTarget(file),
  })
}

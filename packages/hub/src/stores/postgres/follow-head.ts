/** Follows the journal's head: told by the database at once, and asked for every second in case a word was lost. */

import { setTimeout as delay } from 'node:timers/promises'
import { journalNumber } from '@latchkey/protocol'
import { DatabaseAway, type PostgresDatabase } from '@latchkey/service/postgres'
import type { DirectoryVersion } from '../../access/access-store.ts'
import { isFresh, type Moment, type Staleness } from '../../access/moment.ts'
import type { StoreTell } from '../store.ts'

export interface FollowedHead {
  /** Throws where the head has not been heard of for too long. */
  version(): DirectoryVersion
  isFresh(learned: Moment): boolean
  /** Asks the database for the head; what fails is asked for again. */
  look(): Promise<void>
  /** Told by the database: a change with this number is committed. */
  told(number: number): void
  close(): Promise<void>
}

export interface HeadPorts {
  readonly database: Pick<PostgresDatabase<unknown>, 'query'>
  readonly schema: string
  readonly staleness: Staleness
  /** The server was started, or another one took its place: done before anything is answered again. */
  readonly onOtherServer: () => Promise<void>
  readonly tell: StoreTell
}

const everyMs = 1000

interface HeadRow {
  readonly number: number
  readonly mark: number
  readonly is_replica: 0 | 1
  /** Another one after a restart or a failover. */
  readonly server: string
}

export async function followHead(ports: HeadPorts): Promise<FollowedHead> {
  const { staleness, onOtherServer } = ports
  const closing = new AbortController()
  let known: DirectoryVersion | undefined
  let server: string | undefined

  const look = async (): Promise<void> => {
    const learned = staleness.now()
    const row = await askHead(ports)
    if (row.is_replica === 1) throw new DatabaseAway(replica)
    if (server !== undefined && server !== row.server) {
      // What is known is of the other one, and not answered by until this is done.
      known = undefined
      await onOtherServer()
      server = row.server
      return look()
    }
    server = row.server
    const number = journalNumber(row.number)
    // A word that came meanwhile may be of a newer one.
    if (known === undefined || known.number <= number) known = { number, mark: row.mark, learned }
  }
  const looking = oneAtATime(look)
  await looking()
  const stopped = keepLooking(looking, ports.tell, closing.signal)

  return {
    version() {
      if (known === undefined || !isFresh(known.learned, staleness)) throw new DatabaseAway(silent)
      return known
    },
    isFresh: (learned) => isFresh(learned, staleness),
    look: () => looking().catch(() => {}),
    told(number) {
      if (known !== undefined && number > known.number) {
        known = { ...known, number: journalNumber(number) }
      }
      void looking().catch(() => {})
    },
    async close() {
      closing.abort()
      await stopped
    },
  }
}

const replica = 'The database is a read-only replica.'
const silent = 'The database has not answered for too long.'

async function askHead({ database, schema }: HeadPorts): Promise<HeadRow> {
  const [row] = await database.query<HeadRow>({
    name: 'latchkey_head',
    text: `SELECT number, mark, pg_is_in_recovery() AS is_replica, concat_ws(' ', pg_postmaster_start_time(),
             (SELECT system_identifier FROM pg_control_system()),
             CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END) AS server
           FROM ${schema}.journal_head`,
  })
  if (row === undefined) throw new DatabaseAway('The journal has no head.')
  return row
}

/** Whoever asks while one is on its way gets the one after it: an answer is never older than its question. */
function oneAtATime(look: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    running = look().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (running === undefined) return start()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }
}

/** Whoever asks for the version meanwhile learns that it is too old. */
async function keepLooking(
  look: () => Promise<void>,
  tell: StoreTell,
  signal: AbortSignal,
): Promise<void> {
  let isAway = false
  while (!signal.aborted) {
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return
    const reason = await look().then(() => undefined, reasonOf)
    if (reason !== undefined && !isAway) tell('database_away', { reason })
    if (reason === undefined && isAway) tell('database_back', {})
    isAway = reason !== undefined
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

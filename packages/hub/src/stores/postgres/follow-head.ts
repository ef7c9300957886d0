/** Follows the journal's head: asked for when the database notifies, and every second in case a notification was lost. */

import { setTimeout as delay } from 'node:timers/promises'
import { journalNumber } from '@latchkey/protocol'
import { DatabaseAway, DatabaseBusy, type PostgresDatabase } from '@latchkey/service/postgres'
import type { DirectoryVersion } from '../../access/access-store.ts'
import { isFresh, type Moment, type Staleness } from '../../access/moment.ts'
import type { StoreTell } from '../store.ts'

export interface FollowedHead {
  /** Throws where the head has not been heard of for too long. */
  version(): FollowedVersion
  isFresh(learned: Moment): boolean
  /** Asks the database for the head; what fails is asked for again. */
  look(): Promise<void>
  close(): Promise<void>
}

export interface FollowedVersion extends DirectoryVersion {
  /** As `serverOf` names it. */
  readonly server: string
}

/**
 * The name of the server and of the table in it, in SQL: another one after a restart, a failover, or a dump that was put
 * back. A promoted replica is a process of its own, so the time of its start says enough, and costs a question nothing.
 */
export function serverOf(head: string): string {
  return `pg_catalog.concat_ws(' ', extract(epoch FROM pg_catalog.pg_postmaster_start_time()), ${head}.tableoid)`
}

export interface HeadPorts {
  readonly database: Pick<PostgresDatabase<unknown>, 'query'>
  readonly schema: string
  readonly staleness: Staleness
  /**
   * The server was started, or another one took its place: done before anything is answered again. `seen` is the largest
   * number that this hub has seen; a server that lost changes may be below it.
   */
  readonly onOtherServer: (seen: number) => Promise<void>
  readonly tell: StoreTell
}

const everyMs = 1000

interface HeadRow {
  readonly number: number
  readonly mark: number
  readonly is_replica: 0 | 1
  readonly server: string
}

export async function followHead(ports: HeadPorts): Promise<FollowedHead> {
  const { staleness, onOtherServer } = ports
  const closing = new AbortController()
  let known: FollowedVersion | undefined
  let [server, seen]: [string | undefined, number] = [undefined, 0]

  const look = async (): Promise<void> => {
    const learned = staleness.now()
    const row = await askHead(ports)
    if (row.is_replica === 1) throw new DatabaseAway(replica)
    // Looks are one at a time, so a number below one of before is not the answer to an older question.
    if (server !== undefined && (server !== row.server || row.number < seen)) {
      // What is known is of the other one, and not answered by until this is done.
      known = undefined
      await onOtherServer(seen)
      server = row.server
      return look()
    }
    server = row.server
    seen = row.number
    known = { number: journalNumber(row.number), mark: row.mark, learned, server }
  }
  const looking = oneAtATime(look)
  await looking()
  const freshVersion = () =>
    known !== undefined && isFresh(known.learned, staleness) ? known : undefined
  // A database that is busy is there, for as long as this hub can answer by what it knows.
  const isAway = (error: unknown) =>
    !(error instanceof DatabaseBusy) || freshVersion() === undefined
  const stopped = keepLooking(looking, {
    isAway,
    staleness,
    tell: ports.tell,
    signal: closing.signal,
  })

  return {
    version() {
      const version = freshVersion()
      if (version === undefined) throw new DatabaseAway(silent)
      return version
    },
    isFresh: (learned) => isFresh(learned, staleness),
    look: () => looking().catch(() => {}),
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
    text: `SELECT number, mark, pg_catalog.pg_is_in_recovery() AS is_replica, ${serverOf('head')} AS server
           FROM ${schema}.journal_head AS head`,
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

interface KeepLookingOptions extends Pick<HeadPorts, 'tell' | 'staleness'> {
  readonly isAway: (error: unknown) => boolean
  readonly signal: AbortSignal
}

/**
 * A caller of `version` learns meanwhile that it is too old. The second counts from the question: after an answer that took
 * long, the next question is sent at once.
 */
async function keepLooking(
  look: () => Promise<void>,
  { isAway, staleness, tell, signal }: KeepLookingOptions,
): Promise<void> {
  const steadyMs = () => staleness.now().steadyMs
  let isTold = false
  let askedMs = steadyMs()
  while (!signal.aborted) {
    const restMs = Math.max(0, askedMs + everyMs - steadyMs())
    await delay(restMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return
    askedMs = steadyMs()
    try {
      await look()
      if (isTold) tell('database_back', {})
      isTold = false
    } catch (error) {
      if (!isTold && isAway(error)) {
        tell('database_away', { reason: reasonOf(error) })
        isTold = true
      }
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

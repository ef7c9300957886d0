/** Follows the journal's head: asked for when the database notifies, and every second in case a notification was lost. */

import { setTimeout as delay } from 'node:timers/promises'
import { journalNumber, type Moment } from '@latchkey/protocol'
import { oneInFlight } from '@latchkey/service/limits/turns'
import {
  DatabaseBusy,
  DatabaseUnavailable,
  type PostgresDatabase,
} from '@latchkey/service/postgres'
import type { DirectoryVersion } from '../../access/access-store.ts'
import { isFresh, type Staleness } from '../../access/moment.ts'
import type { StoreTell } from '../store.ts'
import { serverOf } from './server-name.ts'

export interface FollowedHead {
  /** Throws where the head has not been heard of for too long. */
  version(): FollowedVersion
  isFresh(learned: Moment): boolean
  /** However old: of the server that was compared last. Throws while another one is being compared. */
  compared(): FollowedVersion
  /** Asks the database for the head; what fails is asked for again. False where it failed. */
  look(): Promise<boolean>
  /** The same, by a new connection: the old one may lead to a server whose place another one has taken. */
  lookAnew(): Promise<boolean>
  close(): Promise<void>
}

export interface FollowedVersion extends DirectoryVersion {
  /** As `serverOf` names it. */
  readonly server: string
}

interface HeadPorts {
  readonly database: Pick<PostgresDatabase<unknown>, 'query' | 'renew'>
  readonly schema: string
  readonly staleness: Staleness
  /** The server that was compared before the first question, as `serverOf` names it. */
  readonly server: string
  /**
   * The server was started, or another one took its place: done before anything is answered again. `seen` is the largest
   * number that this hub has seen; a server that lost changes may be below it. Gives the server that it has compared.
   */
  readonly onOtherServer: (highestNumber: number) => Promise<string>
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
  let cachedVersion: FollowedVersion | undefined
  let [server, highestNumber] = [ports.server, 0]

  const look = async (isSecond = false): Promise<void> => {
    const learned = staleness.now()
    const row = await askHead(ports)
    if (row.is_replica === 1) throw new DatabaseUnavailable(replica)
    // Looks are one at a time, so a number below one of before is not the answer to an older question.
    if (server !== row.server || row.number < highestNumber) {
      // What is known is of the other one, and not answered by until this is done.
      cachedVersion = undefined
      // Two servers answer at one address. Only one that was compared in its own transaction is followed.
      if (isSecond) throw new DatabaseUnavailable(several)
      server = await onOtherServer(highestNumber)
      return look(true)
    }
    highestNumber = row.number
    cachedVersion = { number: journalNumber(row.number), mark: row.mark, learned, server }
  }
  const looking = oneInFlight(() => look())
  const tryLook = () =>
    looking().then(
      () => true,
      () => false,
    )
  await looking()
  const freshVersion = () =>
    cachedVersion !== undefined && isFresh(cachedVersion.learned, staleness)
      ? cachedVersion
      : undefined
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
      if (version === undefined) throw new DatabaseUnavailable(silent)
      return version
    },
    compared() {
      if (cachedVersion === undefined) throw new DatabaseUnavailable(comparing)
      return cachedVersion
    },
    isFresh: (learned) => isFresh(learned, staleness),
    look: tryLook,
    lookAnew() {
      ports.database.renew()
      return tryLook()
    },
    async close() {
      closing.abort()
      await stopped
    },
  }
}

const replica = 'The database is a read-only replica.'
const several = 'Two servers answer at the address of the database.'
const comparing = 'The database was replaced or restarted, and the hub is comparing it.'
const silent = 'The database has not answered for too long.'

async function askHead({ database, schema }: HeadPorts): Promise<HeadRow> {
  const [row] = await database.query<HeadRow>({
    name: 'latchkey_head',
    text: `SELECT number, mark, pg_catalog.pg_is_in_recovery() AS is_replica, ${serverOf('head')} AS server
           FROM ${schema}.journal_head AS head`,
  })
  if (row === undefined) throw new DatabaseUnavailable('The journal has no head.')
  return row
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
      if (isTold) tell('database_recovered', {})
      isTold = false
    } catch (error) {
      if (!isTold && isAway(error)) {
        tell('database_unavailable', { reason: reasonOf(error) })
        isTold = true
      }
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Hubs on one database tell each other once a second what they have let through. */

import { setTimeout as delay } from 'node:timers/promises'
import {
  type Count,
  exchangedCounts,
  type SharedCounts,
} from '@latchkey/service/limits/rate-limiter'
import type { GuardedDatabase } from '@latchkey/service/postgres'
import { ofWhom, oneHead } from './server-name.ts'

interface CountsExchange {
  readonly counts: SharedCounts
  close(): Promise<void>
}

interface ExchangePorts {
  readonly database: Pick<GuardedDatabase<unknown>, 'query'>
  readonly schema: string
  /** The processes of one hub have the same. */
  readonly hub: string
}

const everyMs = 1000

/** The largest ones of a second: whoever asks from many addresses must not fill the database with them. */
const maxKeys = 1000

/** Nulls where nothing was told. */
interface ToldRow {
  readonly now: number
  readonly told: number | null
  readonly counts: string | null
}

export function exchangeCounts(ports: ExchangePorts): CountsExchange {
  const counts = exchangedCounts()
  const closing = new AbortController()
  let after: number | undefined
  const exchange = async (): Promise<void> => {
    const own = largest(counts.takeOwn())
    const rows = await tellAndHear(ports, own, after)
    after ??= rows[0]?.now ?? 0
    after = Math.max(after, ...rows.map(({ told: number }) => number ?? 0))
    const receivedCounts = rows.flatMap(({ counts: text }): Count[] =>
      text === null ? [] : JSON.parse(text),
    )
    counts.learn(receivedCounts)
  }
  const stopped = keepExchanging(exchange, closing.signal)
  return {
    counts,
    async close() {
      closing.abort()
      await stopped
    },
  }
}

function largest(counts: readonly Count[]): readonly Count[] {
  if (counts.length <= maxKeys) return counts
  return counts.toSorted(([, , one], [, , other]) => other - one).slice(0, maxKeys)
}

/**
 * The first time nothing is heard but the moment from which on to listen. A server that was not compared may get a row of
 * counts, in a table that is emptied at each promotion; nothing is heard from it.
 */
function tellAndHear(
  { database, schema, hub }: ExchangePorts,
  own: readonly Count[],
  after: number | undefined,
): Promise<readonly ToldRow[]> {
  return database.query<ToldRow>({
    name: 'latchkey_counts',
    text: `
WITH telling AS (INSERT INTO ${schema}.told_counts (hub, counts) SELECT $1, $2::json WHERE $2 IS NOT NULL),
     clock AS (SELECT pg_catalog.floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::bigint AS now),
     old AS (DELETE FROM ${schema}.told_counts WHERE told < (SELECT now FROM clock) - 60000000)
SELECT ${ofWhom('head')}, clock.now, told.told, told.counts
FROM ${oneHead(schema)} CROSS JOIN clock LEFT JOIN ${schema}.told_counts AS told ON told.told > $3 AND told.hub <> $1`,
    values: [hub, own.length === 0 ? null : JSON.stringify(own), after ?? null],
  })
}

/**
 * Counts that could not be exchanged while the database was unavailable are lost: each hub then
 * applied its limits alone.
 */
async function keepExchanging(exchange: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await exchange().catch(() => {})
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

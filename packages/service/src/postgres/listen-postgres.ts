/** Hears the notifications of one channel, on a connection of its own that is made again whenever it breaks. */

import { setTimeout as delay } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { ask } from './ask.ts'
import { type Connections, connections } from './connections.ts'
import { explainPostgres } from './explain-postgres.ts'
import { schemaName } from './migrate-postgres.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { OtherServer } from './postgres-error.ts'
import type { PostgresSettings } from './settings.ts'

export interface ListenOptions {
  readonly settings: PostgresSettings
  readonly channel: string
  readonly onNotify: (payload: string) => void
  /** From here on every notification is heard; those before may have been missed. */
  readonly onUp?: () => void
  /** Told once until it is up again, with the reason in one line. */
  readonly onDown?: (reason: string) => void
  /** A half-open connection looks like silence, so the server is asked this often. */
  readonly checkEveryMs?: number
  readonly deadlineMs?: number
}

export interface NotificationListener {
  close(): Promise<void>
}

const minBackoffMs = 100
const maxBackoffMs = 5000

export function listenPostgres(options: ListenOptions): NotificationListener {
  const { settings, deadlineMs = 3000, onUp, onDown } = options
  const pool = connections(settings, { most: 1, deadlineMs })
  const closing = new AbortController()
  const { signal } = closing
  let isUp: boolean | undefined
  let backoffMs = minBackoffMs
  const run = async () => {
    while (!signal.aborted) {
      const reason = await hearUntilBroken(pool, options, signal, () => {
        isUp = true
        backoffMs = minBackoffMs
        onUp?.()
      })
      if (signal.aborted) return
      if (isUp !== false) onDown?.(explainPostgres(reason, settings))
      isUp = false
      // Processes that lost the same server do not come back together.
      await sleep(backoffMs * (0.5 + Math.random() / 2), signal)
      backoffMs = Math.min(backoffMs * 2, maxBackoffMs)
    }
  }
  const running = run()
  return {
    async close() {
      closing.abort()
      await running
      await pool.close()
    },
  }
}

/** Gives the reason for which it no longer hears. */
async function hearUntilBroken(
  pool: Connections,
  options: ListenOptions,
  closing: AbortSignal,
  onUp: () => void,
): Promise<unknown> {
  let client: PoolClient | undefined
  try {
    client = await pool.take()
    if (pool.isPooled()) {
      throw new OtherServer(
        'a pooler stands before it, through which notifications do not come. Give the address of the server itself.',
      )
    }
    await hear(client, options, { closing, onUp })
    return undefined
  } catch (error) {
    return error
  } finally {
    client?.release(true)
  }
}

async function hear(
  client: PoolClient,
  { channel, onNotify, checkEveryMs = 3000, deadlineMs = 3000 }: ListenOptions,
  { closing, onUp }: { readonly closing: AbortSignal; readonly onUp: () => void },
): Promise<void> {
  const broken = new AbortController()
  client.once('end', () => broken.abort())
  client.on('notification', ({ payload = '' }) => onNotify(payload))
  await ask(client, `LISTEN ${schemaName(channel)}`, deadlineMs)
  onUp()
  while (!closing.aborted) {
    await sleep(checkEveryMs, AbortSignal.any([closing, broken.signal]))
    if (!closing.aborted) await ask(client, 'SELECT 1', deadlineMs)
  }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}

const channel = 'latchkey_try'

/** Undefined where it was heard; otherwise why not, in one line. */
export async function tryNotification(
  { query }: Pick<PostgresDatabase<unknown>, 'query'>,
  settings: PostgresSettings,
  patienceMs = 5000,
): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const send = () => query({ name: 'latchkey_try', text: `SELECT pg_notify('${channel}', '')` })
  const listening = listenPostgres({
    settings,
    channel,
    onUp: () => void send().catch(reject),
    onNotify: () => resolve(undefined),
    onDown: resolve,
  })
  const late = setTimeout(
    () => resolve(`no notification came within ${patienceMs / 1000} s.`),
    patienceMs,
  )
  try {
    return await promise
  } finally {
    clearTimeout(late)
    await listening.close()
  }
}

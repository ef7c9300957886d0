/** Whether a notification reaches a connection that listens: sent and heard once, on a channel that no service uses. */

import { listenPostgres } from './listen-postgres.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import type { PostgresSettings } from './settings.ts'

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

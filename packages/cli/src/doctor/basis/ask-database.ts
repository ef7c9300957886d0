/** Whether a PostgreSQL can be reached, and what it says of itself. */

import { type InspectedPostgres, inspectPostgres } from '@latchkey/hub/management'
import { CannotStart } from '@latchkey/service/cannot-start'
import type { PostgresSettings } from '@latchkey/service/postgres'

export type DatabaseAnswer =
  /** The error has the line for the operator. */
  | { readonly kind: 'away'; readonly error: CannotStart }
  | {
      readonly kind: 'answers'
      readonly settings: PostgresSettings
      readonly store: InspectedPostgres
      readonly server: Awaited<ReturnType<InspectedPostgres['server']>>
      readonly schema: Awaited<ReturnType<InspectedPostgres['found']>>
      /** How far its clock is ahead of this machine's; what lies between question and answer says nothing. */
      readonly aheadMs: number
    }

export async function askDatabase(
  settings: PostgresSettings,
  nowMs: () => number,
): Promise<DatabaseAnswer> {
  let store: InspectedPostgres | undefined
  try {
    store = await inspectPostgres(settings)
    const askedAt = nowMs()
    const server = await store.server()
    const aheadMs = aheadOf(server.nowMs, askedAt, nowMs())
    return { kind: 'answers', settings, store, server, schema: await store.found(), aheadMs }
  } catch (error) {
    await store?.close()
    if (error instanceof CannotStart) return { kind: 'away', error }
    throw error
  }
}

function aheadOf(serverMs: number, askedAt: number, answeredAt: number): number {
  if (serverMs > answeredAt) return serverMs - answeredAt
  return Math.min(0, serverMs - askedAt)
}

/** Whether a PostgreSQL can be reached, and what it says of itself. */

import { CannotStart } from '../machine/cannot-start.ts'
import type { FoundSchema, InspectedSchema, InspectedServer } from '../postgres/index.ts'

/** The part of an inspected schema that does not depend on its tables. */
export type AnySchema = Omit<InspectedSchema<unknown>, 'ask' | 'read'>

export type DatabaseAnswer<Store extends AnySchema> =
  /** The error has the line for the operator. */
  { readonly kind: 'away'; readonly error: CannotStart } | AnsweringDatabase<Store>

export interface AnsweringDatabase<Store extends AnySchema = AnySchema> {
  readonly kind: 'answers'
  readonly store: Store
  readonly server: InspectedServer
  readonly schema: FoundSchema
  /** How far its clock is ahead of this machine's; the time between question and answer is not counted. */
  readonly aheadMs: number
}

export async function askDatabase<Store extends AnySchema>(
  inspect: () => Promise<Store>,
  nowMs: () => number,
): Promise<DatabaseAnswer<Store>> {
  let store: Store | undefined
  try {
    store = await inspect()
    const askedAt = nowMs()
    const server = await store.server()
    const aheadMs = aheadOf(server.nowMs, askedAt, nowMs())
    return { kind: 'answers', store, server, schema: await store.found(), aheadMs }
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

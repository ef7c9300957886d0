/** One question of a storage as the log keeps it. */

import { embeddedHubTokenId, type RefusalCode } from '@latchkey/protocol'
import type { Actor, AdminCall } from './admin-call.ts'
import type { HubLog } from './log-events.ts'

export type LinkRoute = 'changes' | 'epochs' | 'places'

export interface LinkCall {
  readonly route: LinkRoute
  readonly actor: Actor
  readonly outcome: AdminCall['outcome']
  readonly code: RefusalCode | undefined
  readonly address: string
  readonly requestId: string
  readonly milliseconds: number
}

/** The storage of the hub's own process has no account. */
export const embeddedActor: Actor = { hubToken: embeddedHubTokenId }

export function logLinkCall(log: HubLog, { actor, ...call }: LinkCall): void {
  log('link_called', { ...actor, ...call })
}

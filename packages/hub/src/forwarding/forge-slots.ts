/** Bounds the requests that are at the forge at the same time, so that a slow forge leaves the hub's connections to token requests. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '@latchkey/protocol'
import { type ClientAddress, networkOf } from '@latchkey/service/http/addresses'
import { whenOver } from '@latchkey/service/http/response-end'
import {
  anonymousOwner,
  type QuotaOwner,
  type Release,
  type ShareLimits,
  shares,
} from '@latchkey/service/limits/shares'

const maxForwarded = 256

/** A quarter of the connections may be at the forge, and another quarter may wait for it. */
export function forgeLimits(connections: number): ShareLimits & { readonly max: number } {
  const max = Math.max(1, Math.min(maxForwarded, Math.floor(connections / 4)))
  const quarter = Math.floor(max / 4)
  return {
    max,
    maxOfAccount: Math.max(1, quarter),
    // A client without a known account counts by its network, and is as good as any.
    maxOfAnonymous: max,
    reserved: quarter,
    maxWaiting: max,
    maxWaitingOfAccount: Math.max(1, quarter),
    maxWaitSeconds: 20,
  }
}

export interface ForgeSlots {
  /** Rejects when the client disconnects. */
  take(request: IncomingMessage, response: ServerResponse): Promise<Release | Refusal>
  held(): number
}

export interface SlotDeps {
  readonly limits: ShareLimits
  readonly clientAddress: ClientAddress
  /** Undefined for a client that is not known yet. */
  readonly accountOf: (request: IncomingMessage) => string | undefined
}

export function forgeSlots({ limits, clientAddress, accountOf }: SlotDeps): ForgeSlots {
  const slots = shares(limits)
  const payerOf = (request: IncomingMessage): QuotaOwner => ({
    account: accountOf(request) ?? anonymousOwner(networkOf(clientAddress(request))),
  })
  return {
    held: slots.held,
    async take(request, response) {
      const payer = payerOf(request)
      const now = slots.takeNow(payer)
      if (now !== undefined) return now
      const over = new AbortController()
      whenOver(response, () => over.abort())
      return slots.take(payer, over.signal)
    },
  }
}

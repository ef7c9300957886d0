/** Hands admitted requests on to the storage and its answers back, both as streams. */

import type { Deadlines } from '@latchkey/service/http/deadlines'
import { whenOver } from '@latchkey/service/http/when-over'
import { ForwardedExchange } from './exchange.ts'
import type { Ending, Handover, Storage } from './handover.ts'

export type Forward = (handover: Handover) => Promise<Ending>

export function forwarder(storage: Storage, deadlines: Deadlines): Forward {
  return (handover) =>
    new Promise((done) => {
      const exchange = new ForwardedExchange(handover, storage)
      const unwatch = deadlines.watch(exchange)
      const unwatchToken = handover.watch((refusal) => exchange.revoke(refusal))
      whenOver(handover.response, () => {
        unwatch()
        unwatchToken()
        done(exchange.end())
      })
      exchange.send()
    })
}

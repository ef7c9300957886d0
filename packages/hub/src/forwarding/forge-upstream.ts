/** The connections to the forge, wherever it listens now. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Deadlines } from '@latchkey/service/http/deadlines'
import {
  connectTo,
  type Forward,
  forwarder,
  type UpstreamRefusals,
} from '@latchkey/service/http/forwarding'
import type { ForgeAddress } from './forge-place.ts'

export const forgeDown: Refusal = refuse(
  'not_ready',
  'The part of this hub that serves repositories does not answer now. Try again in a moment.',
  { retryAfterSeconds: 5 },
)

const refusals: UpstreamRefusals = { unreachable: forgeDown, timeout: forgeDown }

/** Until the forge takes a connection, and until it begins to answer. */
const connectSeconds = 5
const headersSeconds = 300

export interface ForgeUpstream {
  /** Undefined while the forge does not run. */
  forward(): Forward | undefined
  close(): Promise<void>
}

export interface UpstreamDeps {
  readonly place: ForgeAddress
  readonly deadlines: Deadlines
  readonly connections: number
}

interface Connected {
  readonly origin: string
  readonly forward: Forward
}

export function forgeUpstream({ place, deadlines, connections }: UpstreamDeps): ForgeUpstream {
  const pools = new Set<ReturnType<typeof connectTo>>()
  let current: Connected | undefined
  const connect = (origin: string): Connected => {
    // Requests under way at the former place may end.
    for (const pool of pools) void pool.close().then(() => pools.delete(pool))
    const dispatcher = connectTo({ origin, connections, connectSeconds })
    pools.add(dispatcher)
    return {
      origin,
      forward: forwarder({ dispatcher, headersSeconds, refusals, isTrusted: true }, deadlines),
    }
  }
  return {
    forward() {
      const origin = place.url()
      if (origin === undefined) return undefined
      if (current?.origin !== origin) current = connect(origin)
      return current.forward
    },
    async close() {
      await Promise.all([...pools].map((pool) => pool.destroy()))
    },
  }
}

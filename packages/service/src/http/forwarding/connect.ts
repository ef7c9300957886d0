import { Pool } from 'undici'
import { maxWaitingBytes } from './exchange.ts'

export interface UpstreamPlace {
  readonly origin: string
  /** A socket of this machine, in place of a port. */
  readonly socketPath?: string | undefined
  readonly connections: number
  /** Until a connection stands. */
  readonly connectSeconds: number
}

/** Connections to one server, with one request at a time on each. */
export function connectTo(place: UpstreamPlace): Pool {
  const { origin, socketPath, connections, connectSeconds } = place
  const connect = {
    ...{ timeout: connectSeconds * 1000, highWaterMark: maxWaitingBytes },
    ...(socketPath === undefined ? {} : { socketPath }),
  }
  return new Pool(origin, { connections, pipelining: 1, allowH2: false, connect })
}

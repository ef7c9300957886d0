/** A bounded number of connections to one server, each checked before its first use. */

import pg from 'pg'
import { checkServer } from './check-server.ts'
import { clientConfig } from './client-config.ts'
import { encryption } from './encryption.ts'
import { NoConnection } from './own-errors.ts'
import type { PostgresSettings } from './settings.ts'

export interface ConnectionsOptions {
  /** The caller takes no more than these at a time: for the driver's pool, waiting looks like a server that does not answer. */
  readonly most: number
  readonly deadlineMs: number
}

export interface Connections {
  take(): Promise<pg.PoolClient>
  /** Known after the first connection. */
  isPooled(): boolean
  /** Connections of before are closed instead of used. */
  renew(): void
  close(): Promise<void>
}

const idleMs = 60_000

export function connections(
  settings: PostgresSettings,
  { most, deadlineMs }: ConnectionsOptions,
): Connections {
  const tls = encryption(settings.tls.mode)
  let isPooled = true
  let closed: Promise<void> | undefined
  let generation = 0
  const generations = new WeakMap<pg.PoolClient, number>()
  const pool = new pg.Pool({
    max: most,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    idleTimeoutMillis: idleMs,
    Client: clientClass(() => clientConfig(settings, tls.isOn())),
    onConnect: async (client) => {
      ;({ isPooled } = await checkServer(client as pg.Client, deadlineMs))
    },
  } as pg.PoolConfig)
  // The pool has dropped the connection already; the next question makes a new one.
  pool.on('error', () => {})
  pool.on('connect', (client) => generations.set(client, generation))
  const connectEitherWay = async () => {
    const encrypted = tls.isOn()
    try {
      return await pool.connect()
    } catch (error) {
      if (!tls.changesAfter(error, encrypted)) throw error
      return await pool.connect()
    }
  }
  const takeCurrent = async () => {
    for (;;) {
      const client = await connectEitherWay()
      if ((generations.get(client) ?? generation) === generation) return client
      client.release(true)
    }
  }
  return {
    take: () =>
      takeCurrent().catch((error: unknown) => {
        throw new NoConnection(error)
      }),
    isPooled: () => isPooled,
    renew() {
      generation += 1
    },
    close() {
      closed ??= pool.end()
      return closed
    },
  }
}

/** The pool makes its clients itself; each gets the settings of its moment. */
function clientClass(config: () => pg.ClientConfig): typeof pg.Client {
  return class extends pg.Client {
    constructor() {
      super(config())
      // A connection can break between two questions of a transaction: the next question tells.
      this.on('error', () => {})
      // The driver leaves it open after a login that failed on our side, and the server waits for us.
      this.connection.on('error', () => this.connection.stream.destroy())
    }
  }
}

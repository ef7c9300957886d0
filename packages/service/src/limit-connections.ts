/** One address may have a part of the connections, so that there are some left for the others. */

import type { Server } from 'node:http'
import { networkOf } from './client-address.ts'
import type { SharedLevel } from './shared-counts.ts'

export interface ConnectionLimits {
  readonly connections: number
  /** With the other processes of the same service. */
  readonly sharedConnections?: SharedLevel | undefined
}

export function limitConnections(
  server: Server,
  { connections, sharedConnections: shared }: ConnectionLimits,
): void {
  const most = connections > 100 ? Math.floor(connections / 4) : connections
  const openHere = counter<string>()
  const openFrom = (key: string, change: 1 | -1) => {
    const here = openHere(key, change)
    shared?.set(key, here)
    return here + (shared?.elsewhere(key) ?? 0)
  }
  server.on('connection', (socket) => {
    const address = networkOf(socket.remoteAddress ?? '')
    socket.once('close', () => {
      openFrom(address, -1)
      openFrom(everyAddress, -1)
    })
    const isTooMuch = openFrom(address, 1) > most
    if (openFrom(everyAddress, 1) > connections || isTooMuch) socket.destroy()
  })
}

/** No address is written so. */
const everyAddress = '*'

/** Counts up and down per key, and forgets a key at zero. */
function counter<Key>(): (key: Key, change: 1 | -1) => number {
  const counts = new Map<Key, number>()
  return (key, change) => {
    const count = (counts.get(key) ?? 0) + change
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
    return count
  }
}

/** How many git processes stream to one client at once: one that reads slowly leaves some to all others. */

import type { IncomingMessage } from 'node:http'
import { type FairSlots, fairSlots } from '../git/index.ts'
import { readAuthorization } from './read-authorization.ts'

/** Gives back the share when called. */
export type TakeShare = (request: IncomingMessage, signal: AbortSignal) => Promise<() => void>

interface Client {
  readonly slots: FairSlots
  users: number
}

export function clientShares(most: number): TakeShare {
  const clients = new Map<string, Client>()
  return async (request, signal) => {
    const key = keyOf(request)
    const client = clients.get(key) ?? { slots: fairSlots(most), users: 0 }
    clients.set(key, client)
    client.users += 1
    const leave = () => {
      client.users -= 1
      if (client.users === 0) clients.delete(key)
    }
    try {
      const release = await client.slots.take('', signal)
      return () => {
        release()
        leave()
      }
    } catch (error) {
      leave()
      throw error
    }
  }
}

/** By the hub token, whatever user name git sends with it; without one by the address. */
function keyOf(request: IncomingMessage): string {
  const [bearer] = readAuthorization(request, { isGit: true })
  return bearer?.split(' ').at(-1) ?? request.socket.remoteAddress ?? ''
}

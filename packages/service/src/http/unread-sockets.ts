/** Leaves sockets unread. What their clients send stays in the operating system, and costs the process no memory. */

import type { Duplex } from 'node:stream'

/** `flow`: others of its account or address wait. `order`: a request of its own waits behind another one. */
export type HoldReason = 'flow' | 'order'

export interface UnreadSockets {
  hold(socket: Duplex, reason: HoldReason): void
  /** The socket is read again once no reason is left. */
  release(socket: Duplex, reason: HoldReason): void
}

export function unreadSockets(): UnreadSockets {
  const held = new WeakMap<Duplex, Set<HoldReason>>()
  const reasonsOf = (socket: Duplex): Set<HoldReason> => {
    const former = held.get(socket)
    if (former !== undefined) return former
    const reasons = new Set<HoldReason>()
    held.set(socket, reasons)
    // Node resumes a socket at times, in a later tick than the one in which it was paused.
    socket.on('resume', () => {
      if (reasons.size > 0) socket.pause()
    })
    return reasons
  }
  return {
    hold(socket, reason) {
      reasonsOf(socket).add(reason)
      socket.pause()
    },
    release(socket, reason) {
      const reasons = reasonsOf(socket)
      reasons.delete(reason)
      if (reasons.size === 0) socket.resume()
    },
  }
}

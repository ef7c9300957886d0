/** Security boundary: what the process of a storage may say, and how often. */

import type { FromStorage } from './messages.ts'

export interface Conversation {
  /** The storage was asked something, and may answer once. */
  ask(): void
  /** False for what a storage of ours never says at this point. */
  isInTurn(message: FromStorage): boolean
}

/**
 * Everything that a storage says makes the hub do something, and `here` makes it send the order. A process that repeats
 * itself would fill the hub's memory with orders that it does not read, and keep the hub from its clients.
 */
export function conversation(): Conversation {
  let isHere = false
  let hasStarted = false
  let unanswered = 0
  return {
    ask() {
      unanswered += 1
    },
    isInTurn({ kind }) {
      switch (kind) {
        case 'here':
          if (isHere) return false
          isHere = true
          return true
        case 'started':
        case 'cannot-start':
          if (!isHere || hasStarted) return false
          hasStarted = true
          return true
        case 'answer':
          unanswered -= 1
          return unanswered >= 0
      }
    },
  }
}

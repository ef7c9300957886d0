/** Questions to another process, each of which is answered in time or not at all. */

import type { Timers } from './timers.ts'

export interface Questions {
  /** Undefined when no answer has come in time. */
  ask(send: (id: number) => void): Promise<string | undefined>
  answer(id: number, text: string): void
  /** The other process has ended: no answer comes any more. */
  giveUp(): void
}

export function questions(limitMs: number, { after }: Pick<Timers, 'after'>): Questions {
  const open = new Map<number, (text: string | undefined) => void>()
  let last = 0
  return {
    ask(send) {
      last += 1
      const id = last
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      const callOff = after(limitMs, () => open.get(id)?.(undefined))
      open.set(id, (text) => {
        open.delete(id)
        callOff()
        resolve(text)
      })
      send(id)
      return promise
    },
    answer: (id, text) => open.get(id)?.(text),
    giveUp() {
      for (const settle of open.values()) settle(undefined)
    },
  }
}

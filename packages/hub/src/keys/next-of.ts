/** What happens to a key next, and when: for the people who look at the list. */

import { lifeOf } from './due-step.ts'
import { inStates, type KeyFacts, stateOf } from './key-state.ts'
import { mayGoFrom, maySignFrom } from './waits.ts'

export const nextWords = ['signs', 'retires', 'gets a successor', 'is removed'] as const

export interface Next {
  readonly next: (typeof nextWords)[number]
  readonly at: number
}

/** Undefined for a key that signs until an operator rotates it. */
export function nextOf(
  key: KeyFacts,
  keys: readonly KeyFacts[],
  rotationSeconds: number,
): Next | undefined {
  switch (stateOf(key)) {
    case 'published':
      return { next: 'signs', at: signsAt(key) }
    case 'retiring':
      return { next: 'is removed', at: mayGoFrom(key, key.retired_at ?? 0) }
    case 'signing': {
      const [successor] = inStates(keys, key.purpose).published
      if (successor !== undefined) return { next: 'retires', at: signsAt(successor) }
      if (rotationSeconds === 0) return undefined
      return { next: 'gets a successor', at: lifeOf(key, rotationSeconds).publishAt }
    }
  }
}

function signsAt(key: KeyFacts): number {
  return Math.max(key.activates_at, maySignFrom(key))
}

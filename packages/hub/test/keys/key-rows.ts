/** Keys in every state, as rows, for decisions that look at nothing else. */

import type { Algorithm } from '@latchkey/token'
import type { KeyFacts, KeyState } from '../../src/keys/key-state.ts'
import type { KeyPurpose } from '../../src/tables/schema.ts'

export interface Made {
  readonly state: KeyState
  /** Since when it is in its state. */
  readonly since: number
  readonly kid?: string
  readonly purpose?: KeyPurpose
  readonly alg?: Algorithm
  readonly lifetime?: number
  /** When a published one is to sign. */
  readonly activatesAt?: number
}

export function key({ state, since, ...more }: Made): KeyFacts {
  const { kid = state, purpose = 'tokens', alg = 'ES256', lifetime = 900 } = more
  const named = { kid, purpose, alg, max_lifetime: lifetime }
  const activates_at = more.activatesAt ?? since + 600
  switch (state) {
    case 'published':
      return { ...named, created_at: since, activates_at, activated_at: null, retired_at: null }
    case 'signing':
      return { ...named, ...begun(since), retired_at: null }
    case 'retiring':
      return { ...named, ...begun(since - 1000), retired_at: since }
  }
}

function begun(at: number) {
  return { created_at: at - 600, activates_at: at, activated_at: at }
}

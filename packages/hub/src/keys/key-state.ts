/** The states of a key: published, then signing, then retiring; a removed key has no row. */

import { refuse } from '@latchkey/protocol'
import type { KeyPurpose } from '../tables/schema.ts'
import type { StoredKey } from './stored-keys.ts'

export type KeyState = 'published' | 'signing' | 'retiring'

/** The columns of a key that a decision reads. */
export type KeyFacts = Omit<StoredKey, 'sealed'>

export const keyPurposes = ['tokens', 'revocations'] as const satisfies readonly KeyPurpose[]

export function stateOf({
  activated_at,
  retired_at,
}: Pick<KeyFacts, 'activated_at' | 'retired_at'>): KeyState {
  if (activated_at === null) return 'published'
  return retired_at === null ? 'signing' : 'retiring'
}

/** The keys of one purpose by their states. At most one signs. */
export interface KeysInStates<Key extends KeyFacts> {
  readonly all: readonly Key[]
  readonly published: readonly Key[]
  readonly signing: Key | undefined
  readonly retiring: readonly Key[]
}

export function inStates<Key extends KeyFacts>(
  keys: readonly Key[],
  purpose: KeyPurpose,
): KeysInStates<Key> {
  const all = keys.filter((key) => key.purpose === purpose)
  const inState = (state: KeyState) => all.filter((key) => stateOf(key) === state)
  return {
    all,
    published: inState('published'),
    signing: inState('signing').at(-1),
    retiring: inState('retiring'),
  }
}

export const noKeyToSign = refuse(
  'not_ready',
  'This hub has no key that it can sign with: the keys of its directory are encrypted with another master key than its own. Its operator starts it again with that one; then try again.',
  { retryAfterSeconds: 30 },
)

/** Makes a key and seals it under the master key that the other keys are sealed with. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Algorithm } from '@latchkey/token'
import { generateSigningKey } from '@latchkey/token/signing'
import type { MasterKey } from './master-key.ts'
import { sealKey, unsealKey } from './seal.ts'
import type { StoredKey } from './stored-keys.ts'

export type SealedKey = Pick<StoredKey, 'kid' | 'alg' | 'sealed'>

/** `beside` are the keys of the transaction that the new one becomes part of. */
export type MakeKey = (alg: Algorithm, beside: readonly SealedKey[]) => Promise<SealedKey | Refusal>

/** The master key is loaded only when a key is made. */
export function keyMaker(load: (options: { mayMake: boolean }) => MasterKey): MakeKey {
  return async (alg, beside) => {
    const masterKey = load({ mayMake: beside.length === 0 })
    // A hub that was not restarted after `keys rewrap` has the old master key: what it seals, no start could open.
    for (const row of beside) {
      if ((await unsealKey(row, masterKey))?.kid !== row.kid) return anotherMasterKey()
    }
    const key = await generateSigningKey(alg)
    return { kid: key.kid, alg, sealed: sealKey(key, masterKey) }
  }
}

function anotherMasterKey(): Refusal {
  return refuse(
    'conflict',
    'The stored keys are encrypted with another master key than this process has, so it makes no key beside them. Restart the hub after "latchkey keys rewrap"; for a command, set LATCHKEY_MASTER_KEY to the right one.',
  )
}

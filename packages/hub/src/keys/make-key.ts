/** Makes a key and seals it under the master key that the other keys are sealed with. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Algorithm } from '@latchkey/token'
import { generateSigningKey } from '@latchkey/token/signing'
import type { MasterKey } from './master-key.ts'
import { opensAll, type SealedRow, sealKey } from './seal.ts'

/** `beside` are the keys of the transaction that the new one becomes part of. */
export type MakeKey = (alg: Algorithm, beside: readonly SealedRow[]) => Promise<SealedRow | Refusal>

/** The master key is loaded only when a key is made. */
export function keyMaker(
  load: (beside: readonly SealedRow[]) => MasterKey | Promise<MasterKey>,
): MakeKey {
  return async (alg, beside) => {
    const masterKey = await load(beside)
    // A hub that was not restarted after `keys rewrap` has the old master key: what it seals, no start could open.
    return (await opensAll(beside, masterKey)) ? makeSealed(alg, masterKey) : anotherMasterKey()
  }
}

export async function makeSealed(alg: Algorithm, masterKey: MasterKey): Promise<SealedRow> {
  const key = await generateSigningKey(alg)
  return { kid: key.kid, alg, sealed: sealKey(key, masterKey) }
}

function anotherMasterKey(): Refusal {
  return refuse(
    'conflict',
    'The stored keys are encrypted with another master key than this process has, so it makes no key beside them. Restart the hub after "latchkey keys rewrap"; for a command, set LATCHKEY_MASTER_KEY to the right one.',
  )
}

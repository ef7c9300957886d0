/** The public halves of the stored keys, for a command on the machine that verifies a token and signs nothing. */

import { createPublicKey } from 'node:crypto'
import { algorithms, type KeySet, type VerifyingKey } from '@latchkey/token'
import type { Reading } from '../directory/port/directory.ts'
import { loadMasterKey, type MasterKey } from './master-key.ts'
import { unsealKey } from './seal.ts'

export interface SealedUnder {
  readonly data: string
  /** Undefined is the one in the data directory. */
  readonly masterKey: MasterKey | undefined
}

/** A key that cannot be opened verifies nothing. */
export async function storedVerifyingKeys(
  tables: Reading,
  { data, masterKey }: SealedUnder,
): Promise<KeySet> {
  const rows = await tables.selectFrom('signing_keys').select(['kid', 'alg', 'sealed']).execute()
  const known = new Map<string, VerifyingKey>()
  if (rows.length === 0) return known
  const opening = masterKey ?? loadMasterKey(data, { mayMake: false })
  for (const { kid, sealed, ...row } of rows) {
    const alg = algorithms.find((ours) => ours === row.alg)
    const key = alg && (await unsealKey({ kid, alg, sealed }, opening))
    if (alg === undefined || key?.kid !== kid) continue
    known.set(kid, { kid, alg, publicKey: createPublicKey(key.privateKey) })
  }
  return known
}

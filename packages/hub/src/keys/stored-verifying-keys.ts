/** The public halves of the stored keys, for a command on the machine that verifies a token and signs nothing. */

import { createPublicKey } from 'node:crypto'
import type { KeySet } from '@latchkey/token'
import type { Reading } from '../tables/directory.ts'
import { findMasterKey } from './find-master-key.ts'
import type { MasterKey } from './master-key.ts'
import { openEveryKey } from './open-key.ts'
import { storedKeys } from './stored-keys.ts'

export interface SealedUnder {
  readonly data: string
  /** Undefined is the one in the data directory. */
  readonly masterKey: MasterKey | undefined
}

/** A key that cannot be opened is an error: without it, the hub's own tokens would look like those of another hub. */
export async function storedVerifyingKeys(
  tables: Reading,
  { data, masterKey }: SealedUnder,
): Promise<KeySet> {
  const rows = await storedKeys(tables)
  // Where there are no keys, a master key would be made.
  if (rows.length === 0) return new Map()
  const signingTokens = rows.filter(({ purpose }) => purpose === 'tokens')
  const keys = await openEveryKey(signingTokens, masterKey ?? (await findMasterKey(data, rows)))
  return new Map(
    keys.map(({ kid, alg, privateKey }) => [
      kid,
      { kid, alg, publicKey: createPublicKey(privateKey) },
    ]),
  )
}

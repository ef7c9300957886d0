/** The rows of the keys, oldest first, with an algorithm that this program knows. */

import { createPublicKey } from 'node:crypto'
import { CannotStart } from '@latchkey/service/machine/errors'
import { type Algorithm, algorithms, type KeySet } from '@latchkey/token'
import type { Reading } from '../tables/directory.ts'
import type { KeyRow } from '../tables/rows.ts'
import type { MasterKey } from './master-key.ts'
import { findMasterKey, openEveryKey } from './seal.ts'

export interface StoredKey extends KeyRow {
  readonly alg: Algorithm
}

export async function storedKeys(tables: Reading): Promise<readonly StoredKey[]> {
  const rows = await tables
    .selectFrom('signing_keys')
    .selectAll()
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
  return rows.map(({ alg, ...row }) => {
    const algorithm = algorithms.find((ours) => ours === alg)
    if (algorithm !== undefined) return { ...row, alg: algorithm }
    throw new CannotStart(
      `the signing key ${row.kid} is for ${alg}, which this program does not know: it was written by a newer version of Latchkey. Use that version.`,
    )
  })
}

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

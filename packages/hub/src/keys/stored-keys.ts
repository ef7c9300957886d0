/** The rows of the keys, oldest first, with an algorithm that this program knows. */

import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { type Algorithm, algorithms } from '@latchkey/token'
import type { Reading } from '../tables/directory.ts'
import type { KeyRow } from '../tables/rows.ts'

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
    const known = algorithms.find((ours) => ours === alg)
    if (known !== undefined) return { ...row, alg: known }
    throw new CannotStart(
      `the signing key ${row.kid} is for ${alg}, which this program does not know: it was written by a newer Latchkey. Run that one.`,
    )
  })
}

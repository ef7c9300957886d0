/** Opens the stored keys with the master key. */

import { CannotStart } from '@latchkey/service/machine/cannot-start'
import type { SigningKey } from '@latchkey/token/signing'
import type { MasterKey } from './master-key.ts'
import { type SealedRow, unsealKey } from './seal.ts'

/** Undefined when the master key is another one, or the row holds another key than it names. */
export async function openKey(
  row: SealedRow,
  masterKey: MasterKey,
): Promise<SigningKey | undefined> {
  const key = await unsealKey(row, masterKey)
  return key?.kid === row.kid ? key : undefined
}

/** For a program that cannot do its work without every one of them. */
export async function openEveryKey(
  rows: readonly SealedRow[],
  masterKey: MasterKey,
): Promise<readonly SigningKey[]> {
  const opened: SigningKey[] = []
  for (const row of rows) {
    const key = await openKey(row, masterKey)
    if (key === undefined) throw cannotOpen(row)
    opened.push(key)
  }
  return opened
}

function cannotOpen({ kid }: SealedRow): CannotStart {
  return new CannotStart(
    `the signing key ${kid} cannot be decrypted: the master key is not the one it was encrypted with. Set LATCHKEY_MASTER_KEY to the right one, or restore the file master.key.`,
  )
}

import { loadMasterKey, type MasterKey, masterKeysIn } from './master-key.ts'
import { opensAll, type SealedRow } from './seal.ts'

/** The master key in the data directory that opens the keys. A rewrap that was cut off leaves two. */
export async function findMasterKey(data: string, rows: readonly SealedRow[]): Promise<MasterKey> {
  if (rows.length === 0) return loadMasterKey(data, { mayMake: true })
  const found = masterKeysIn(data)
  for (const key of found) if (await opensAll(rows, key)) return key
  return found[0] ?? loadMasterKey(data, { mayMake: false })
}

/** The hash that a file has at every storage, without asking one. */

import { hashData } from '../cutting/hash-data.ts'
import type { Hash } from '../format/hash.ts'
import { type FileSource, partsOf } from './file-source.ts'
import { beginTransfer, type TransferOptions } from './transfer.ts'

/** A client that cuts in another way gives the same data another hash. */
export async function hashFile(
  source: FileSource,
  { signal }: Pick<TransferOptions, 'signal'> = {},
): Promise<Hash> {
  const transfer = beginTransfer(signal)
  try {
    return await transfer.wait(hashData(partsOf(source, transfer.signal)))
  } finally {
    transfer.end()
  }
}

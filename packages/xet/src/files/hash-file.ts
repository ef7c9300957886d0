/** The hash that a file has at every storage, without asking one. */

import { hashData } from '../cutting/file-cutter.ts'
import type { Hash } from '../format/hash.ts'
import { checkSource, type FileSource, partsOf } from './file-source.ts'
import { beginTransfer, checkOptions, type TransferOptions } from './transfer.ts'

/** A client that cuts in another way gives the same data another hash. */
export async function hashFile(
  source: FileSource,
  options: Pick<TransferOptions, 'signal'> = {},
): Promise<Hash> {
  checkSource(source)
  checkOptions('hashFile', options, { signal: 'object' })
  const { signal } = options
  const transfer = beginTransfer(signal)
  try {
    return await transfer.wait(hashData(partsOf(source, transfer.signal)))
  } finally {
    transfer.end()
  }
}

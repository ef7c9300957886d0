/** Downloads one file to the disk; what breaks off is kept beside it for the next time. */

import {
  type DownloadCalls,
  type Hash,
  HashMismatchError,
  prepareDownload,
} from '@latchkey/xet/download'
import { refused } from '../output/stop.ts'
import { openPartial } from '../partial/partial-file.ts'
import type { OutputFile } from './output-file.ts'

export interface FileToGet {
  readonly hash: Hash
  /** As the manifest says, where there is one. */
  readonly bytes?: number
  readonly to: OutputFile
}

/** Gets the bytes of this file that are there, and all that it has. */
export type OnFileProgress = (bytes: number, total: number) => void

export async function downloadToFile(
  calls: DownloadCalls,
  { hash, bytes, to }: FileToGet,
  onProgress: OnFileProgress,
): Promise<void> {
  const prepared = await prepareDownload(calls, hash)
  if (bytes !== undefined && bytes !== prepared.bytes) {
    throw refused(
      `the manifest says that ${hash} has ${bytes} bytes, and the storage says ${prepared.bytes}; write a new manifest with latchkey upload`,
    )
  }
  const partial = await openPartial({ ...to, hash, bytes: prepared.bytes })
  try {
    const onPlaced = (placed: number) => onProgress(placed, prepared.bytes)
    if (partial.isWhole) onPlaced(prepared.bytes)
    else await prepared.into(partial.target, onPlaced)
    await partial.keep()
  } catch (error) {
    if (error instanceof HashMismatchError) await partial.discard()
    throw error
  } finally {
    await partial.close()
  }
}

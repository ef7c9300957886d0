/** Brings data to the disk while more of it is written, so that in the end there is little to wait for. */

import type { FileHandle } from 'node:fs/promises'

export interface SyncBehind {
  /** So many bytes more were written. Fails if an earlier part cannot be brought to the disk. */
  wrote(bytes: number): void
  /** All was written: what is not on the disk yet goes there now. */
  wroteAll(): void
  /** Nothing is under way any more. Fails if any part could not be brought to the disk. */
  settled(): Promise<void>
}

/** Each time the file system writes its journal as well. */
const bytesAtOnce = 32 * 1024 * 1024

export function syncBehind({ datasync }: Pick<FileHandle, 'datasync'>): SyncBehind {
  let [written, underWay, begun] = [0, 0, 0]
  let syncing: Promise<unknown> = Promise.resolve()
  // The system tells of a failed write once: whoever syncs later hears nothing of it.
  let failed: { readonly error: unknown } | undefined
  const refuseFailed = () => {
    if (failed !== undefined) throw failed.error
  }
  const sync = async () => {
    try {
      await datasync()
    } catch (error) {
      failed ??= { error }
    }
    underWay -= 1
  }
  const begin = () => {
    written = 0
    underWay += 1
    begun += 1
    syncing = Promise.all([syncing, sync()])
  }
  return {
    wrote(bytes) {
      refuseFailed()
      written += bytes
      if (written >= bytesAtOnce && underWay === 0) begin()
    },
    wroteAll() {
      // What an earlier process wrote may not be on the disk either.
      if (written > 0 || begun === 0) begin()
    },
    async settled() {
      await syncing
      refuseFailed()
    },
  }
}

/**
 * Keeps the last part of a disk for the directory: content is refused before the disk is full, so that a hub can still
 * write down what is revoked.
 */

import { statfs } from 'node:fs/promises'

export interface DiskReserve {
  /** Throws `ReserveReached` where no more than the reserve is free. */
  check(): Promise<void>
  /** The same body, checked as it comes. */
  guard(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

/** Has the code of a full disk: whatever answers one answers the other alike. */
class ReserveReached extends Error {
  override readonly name = 'ReserveReached'
  readonly code = 'ENOSPC'
}

export const defaultReservedBytes = 512 * 1024 * 1024

/** Bodies that arrive at the same time take up to this much each of the reserve. */
const bytesBetweenChecks = 1024 * 1024

/** How much room the disk of a folder has for this user. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** `folder` is on the disk that the directory is on. */
export function diskReserve(folder: string, reservedBytes: number): DiskReserve {
  const check = async () => {
    if (reservedBytes === 0) return
    // Where the disk cannot be asked, the write itself finds out.
    const free = await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY)
    if (free > reservedBytes) return
    throw new ReserveReached(
      `${folder} has ${free} bytes free, and ${reservedBytes} are reserved for the directory`,
    )
  }
  return {
    check,
    async *guard(body) {
      await check()
      let bytes = 0
      for await (const part of body) {
        bytes += part.length
        if (bytes >= bytesBetweenChecks) {
          await check()
          bytes = 0
        }
        yield part
      }
    },
  }
}

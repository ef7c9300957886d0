/** Reads an object from beginning to end as if it were uploaded, and leaves it as it is. */

import { closeSync, openSync, readSync } from 'node:fs'
import { type CheckedChunks, checkXorb, type Flaw, type Hash } from '@latchkey/xet/format'

export function checkObject(
  file: string,
  { hash, packedBytes }: { readonly hash: Hash; readonly packedBytes: number },
): CheckedChunks | Flaw {
  const descriptor = openSync(file, 'r')
  let left = packedBytes
  try {
    return checkXorb((into) => {
      // The table behind the bytes is none of them.
      const got = readSync(descriptor, into, 0, Math.min(into.length, left), null)
      left -= got
      return got
    }, hash)
  } finally {
    closeSync(descriptor)
  }
}

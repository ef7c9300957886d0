/** Reads an object from beginning to end as if it were uploaded, and leaves it as it is. */

import { closeSync, openSync, readSync } from 'node:fs'
import { type CheckedChunks, checkXorb } from '../format/check-xorb.ts'
import type { Flaw } from '../format/flaw.ts'
import type { Hash } from '../format/hash.ts'

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

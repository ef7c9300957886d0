/** Checks the xorb in a file and makes an object of it: the chunks, then their table. */

import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { type CheckedChunks, checkXorb, type Flaw, type Hash, isFlaw } from '@latchkey/xet/format'

export function checkDraft(file: string, expected: Hash): CheckedChunks | Flaw {
  const descriptor = openSync(file, 'r+')
  try {
    const checked = checkXorb((into) => readSync(descriptor, into), expected)
    if (isFlaw(checked)) return checked
    // Whatever the client put behind the chunks goes.
    ftruncateSync(descriptor, checked.packedBytes)
    writeAll(descriptor, checked.table.encoded(), checked.packedBytes)
    return checked
  } finally {
    closeSync(descriptor)
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  let written = 0
  while (written < bytes.length) {
    const left = bytes.length - written
    written += writeSync(descriptor, bytes, written, left, position + written)
  }
}

/** BLAKE3 and SHA-256 in native code. */

import { createHash } from 'node:crypto'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import type { HashOf, RunningBlake3, RunningSha256 } from '../hash-functions.ts'

/** Native code is there from the start. */
export async function loadHashes(): Promise<void> {}

/** One hasher a key: making one takes longer than hashing a node. */
export function blake3Under(key: Uint8Array): HashOf {
  const hasher = Blake3Hasher.newKeyed(Buffer.from(key))
  return (bytes) => {
    hasher.reset()
    return hasher.update(bytes).digestBuffer() as Buffer<ArrayBuffer>
  }
}

export function newBlake3(): RunningBlake3 {
  return new Blake3Hasher()
}

export function newSha256(): RunningSha256 | Promise<RunningSha256> {
  return createHash('sha256')
}

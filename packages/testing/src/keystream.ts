/** Bytes that both ends of a transfer can make from a name, to compare without sending them twice. */

import { createCipheriv, createHash } from 'node:crypto'

export function keystream(name: string, length: number): Buffer {
  const key = createHash('sha256').update(name).digest().subarray(0, 16)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}

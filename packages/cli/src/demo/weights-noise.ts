/** Bytes that look like weights: a file of safetensors whose one tensor is noise, the same in every demo. */

import { createCipheriv } from 'node:crypto'

export function weightsNoise(bytes: number): Buffer {
  const header = JSON.stringify({
    noise: { dtype: 'U8', shape: [bytes], data_offsets: [0, bytes] },
  })
  const text = Buffer.from(header.padEnd(Math.ceil(header.length / 8) * 8))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
  return Buffer.concat([length, text, cipher.update(Buffer.alloc(bytes))])
}

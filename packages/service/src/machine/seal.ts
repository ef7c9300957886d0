/** Encrypts small texts with AES-256-GCM: for whoever has the key, and at the place alone that they were sealed for. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { RandomBytes } from './random.ts'

export interface SealKey {
  /** 32 bytes. */
  readonly key: Uint8Array
  /** The place that the sealed bytes belong to. They do not contain it, so it must be known again to open them. */
  readonly boundTo?: string
}

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/** The nonce, then the hidden bytes, then the tag. */
export function seal(
  bytes: Uint8Array | string,
  { key, boundTo = '' }: SealKey,
  random: RandomBytes = randomBytes,
): Buffer {
  const nonce = random(nonceLength)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(boundTo))
  const hidden = [cipher.update(Buffer.from(bytes)), cipher.final()]
  return Buffer.concat([nonce, ...hidden, cipher.getAuthTag()])
}

/** Undefined for bytes that were not sealed so: with another key, for another place, or altered since. */
export function unseal(sealed: Uint8Array, { key, boundTo = '' }: SealKey): Buffer | undefined {
  if (sealed.length < nonceLength + tagLength) return undefined
  const nonce = sealed.subarray(0, nonceLength)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(sealed.subarray(-tagLength))
  try {
    const hidden = sealed.subarray(nonceLength, -tagLength)
    return Buffer.concat([decipher.update(hidden), decipher.final()])
  } catch {
    return undefined
  }
}

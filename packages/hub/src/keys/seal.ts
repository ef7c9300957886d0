/** Private keys at rest: AES-256-GCM under the master key, bound to their `kid` and algorithm. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Algorithm } from '@latchkey/token'
import { exportSigningKey, importSigningKey, type SigningKey } from '@latchkey/token/signing'
import type { MasterKey } from './master-key.ts'

export interface SealedRow {
  readonly kid: string
  readonly alg: Algorithm
  readonly sealed: string
}

const nonceLength = 12
const tagLength = 16

export function sealKey(key: SigningKey, masterKey: MasterKey): string {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', bytesOf(masterKey), nonce)
  cipher.setAAD(boundTo(key.kid, key.alg))
  const sealed = [nonce, cipher.update(exportSigningKey(key)), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(sealed).toString('base64')
}

/** Undefined when the master key is another one, or the row has been altered. */
export async function unsealKey(
  { kid, alg, sealed }: SealedRow,
  masterKey: MasterKey,
): Promise<SigningKey | undefined> {
  const bytes = Buffer.from(sealed, 'base64')
  const nonce = bytes.subarray(0, nonceLength)
  try {
    const decipher = createDecipheriv('aes-256-gcm', bytesOf(masterKey), nonce, {
      authTagLength: tagLength,
    })
    decipher.setAAD(boundTo(kid, alg))
    decipher.setAuthTag(bytes.subarray(-tagLength))
    const opened = decipher.update(bytes.subarray(nonceLength, -tagLength))
    return await importSigningKey(Buffer.concat([opened, decipher.final()]), alg)
  } catch {
    return undefined
  }
}

/** Whether the master key opens every one of them as the key that the row names. */
export async function opensAll(rows: readonly SealedRow[], masterKey: MasterKey): Promise<boolean> {
  for (const row of rows) {
    if ((await unsealKey(row, masterKey))?.kid !== row.kid) return false
  }
  return true
}

function boundTo(kid: string, alg: Algorithm): Buffer {
  return Buffer.from(`${kid}.${alg}`)
}

function bytesOf(masterKey: MasterKey): Buffer {
  return Buffer.from(masterKey.reveal(), 'base64')
}

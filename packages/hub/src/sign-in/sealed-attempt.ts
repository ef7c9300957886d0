/** The cookie of a sign-in that is under way: sealed, for one provider and ten minutes. */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Secret, UnixSeconds } from '@latchkey/protocol'
import { z } from 'zod'

export const attemptSeconds = 600

const attempt = z.object({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string().nullable(),
  isFresh: z.boolean(),
  startedAt: z.int(),
})

export type Attempt = z.output<typeof attempt>

const nonceLength = 12
const tagLength = 16

/** Every hub with the same configuration opens it: the key comes from the secret that the provider gave. */
export function sealAttempt(content: Attempt, by: Secret<'client-secret'>): string {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(by, content.provider), nonce)
  const sealed = [
    nonce,
    cipher.update(JSON.stringify(content)),
    cipher.final(),
    cipher.getAuthTag(),
  ]
  return Buffer.concat(sealed).toString('base64url')
}

/** Undefined for another provider's cookie, one that was altered, and one that is too old. */
export function openAttempt(
  sealed: string,
  {
    by,
    provider,
    now,
  }: { readonly by: Secret<'client-secret'>; readonly provider: string; readonly now: UnixSeconds },
): Attempt | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= nonceLength + tagLength) return undefined
  try {
    const key = keyFrom(by, provider)
    const options = { authTagLength: tagLength }
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength), options)
    decipher.setAuthTag(bytes.subarray(-tagLength))
    const opened = decipher.update(bytes.subarray(nonceLength, -tagLength))
    const text = Buffer.concat([opened, decipher.final()]).toString()
    const content = attempt.parse(JSON.parse(text))
    const isRecent = content.startedAt <= now && now < content.startedAt + attemptSeconds
    return content.provider === provider && isRecent ? content : undefined
  } catch {
    return undefined
  }
}

function keyFrom(by: Secret<'client-secret'>, provider: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', by.reveal(), '', `latchkey sign-in ${provider}`, 32))
}

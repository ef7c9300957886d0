/** The cookie of a sign-in that is under way: sealed, for one provider and ten minutes. */

import { hkdfSync } from 'node:crypto'
import type { Secret, UnixSeconds } from '@latchkey/protocol'
import { seal, unseal } from '@latchkey/service/machine/seal'
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

/** Every hub with the same configuration opens it: the key comes from the secret that the provider gave. */
export function sealAttempt(content: Attempt, by: Secret<'client-secret'>): string {
  const key = keyFrom(by, content.provider)
  return seal(JSON.stringify(content), { key }).toString('base64url')
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
  const opened = unseal(Buffer.from(sealed, 'base64url'), { key: keyFrom(by, provider) })
  const content = opened && attempt.safeParse(JSON.parse(opened.toString())).data
  if (content?.provider !== provider) return undefined
  return content.startedAt <= now && now < content.startedAt + attemptSeconds ? content : undefined
}

function keyFrom(by: Secret<'client-secret'>, provider: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', by.reveal(), '', `latchkey sign-in ${provider}`, 32))
}

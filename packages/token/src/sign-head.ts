/** Signs the head of a revocation list, with a key that signs nothing else. */

import { type RevocationHead, serialiseHead } from './revocation-head.ts'
import { signJws } from './sign-jws.ts'
import type { SigningKey } from './signing-key.ts'

export function signHead(head: RevocationHead, key: SigningKey): string {
  const payload = Buffer.from(serialiseHead(head)).toString('base64url')
  return signJws(key.headHeader, payload, key)
}

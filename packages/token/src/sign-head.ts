/** Signs the head of a revocation list, with a key that signs nothing else. */

import { type RevocationHead, serialiseHead } from './revocation-head.ts'
import { signJws } from './sign-jws.ts'
import type { SigningKey } from './signing-key.ts'

export function signHead(head: RevocationHead, key: SigningKey): string {
  return signJws(serialiseHead(head), key.headHeader, key)
}

/** Tokens for the benchmarks of the gate, and the keys to verify them. */

import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  journalNumber,
  unixSeconds,
} from '@latchkey/protocol'
import { readKeySet } from '@latchkey/token'
import { generateSigningKey, jwksOf, signToken } from '@latchkey/token/signing'

export const issuer = 'http://127.0.0.1:8080'
export const repositoryUid = asRepositoryUid('abcdefghijklmnopqrstuvwxyz')
export const refUid = asRefUid('zyxwvutsrqponmlkjihgfedcba')

const signingKey = await generateSigningKey('ES256')
export const jwks = jwksOf([signingKey])
export const keys = await readKeySet(jwks)

/** About as long as a hub makes them. */
export function tokenFor(audience: string, jti: string): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: audience,
    sub: asAccountId('aaaaaaaaaaaaaaaaaaaaaaaaaa'),
    client_id: asHubTokenId('bbbbbbbbbbbbbbbbbbbbbbbbbb'),
    scope: 'write' as const,
    repo: { type: 'model' as const, id: 'acme/tiny-llama', uid: repositoryUid },
    ref: { name: 'refs/heads/main', uid: refUid },
    commit: 'a'.repeat(40),
    as_of: journalNumber(Date.now()),
    sees: [],
    iat: unixSeconds(now),
    exp: unixSeconds(now + 3600),
    jti,
  }
  return signToken(claims, signingKey).reveal()
}

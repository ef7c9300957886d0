/** Storage tokens as a hub would issue them, under a key made for this run. */

import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  journalNumber,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { type Claims, type KeySet, readKeySet } from '@latchkey/token'
import { generateSigningKey, jwksOf, type SigningKey, signToken } from '@latchkey/token/signing'

export const startOfTime = unixSeconds(1_800_000_000)
export const issuer = 'https://hub.example'
export const casUrl = 'https://cas.example/r/{repo}/{ref}'
export const audience = 'https://cas.example/r'

export const bert = { type: 'model', id: 'acme/bert', uid: asRepositoryUid('bertuid') } as const
export const main = { name: 'refs/heads/main', uid: asRefUid('mainuid') } as const

/** The prefix under which requests address main of bert. */
export const prefix = `/r/${bert.uid}/${main.uid}`

export const signingKey: SigningKey = await generateSigningKey('ES256')
export const jwks = jwksOf([signingKey])
export const keys: KeySet = await readKeySet(jwks)

export function claims(change: Partial<Claims> = {}): Claims {
  return {
    iss: issuer,
    aud: audience,
    sub: asAccountId('ada-id'),
    client_id: asHubTokenId('hub-token-id'),
    scope: 'read',
    repo: bert,
    ref: main,
    commit: 'a'.repeat(40),
    as_of: journalNumber(startOfTime * 1000),
    sees: [],
    iat: startOfTime,
    exp: unixSeconds(startOfTime + 900),
    jti: 'token-id',
    ...change,
  }
}

export function token(change: Partial<Claims> = {}, key: SigningKey = signingKey): string {
  return signToken(claims(change), key).reveal()
}

export function bearer(change: Partial<Claims> = {}): string {
  return `Bearer ${token(change)}`
}

export interface MovedClock {
  now(): UnixSeconds
  pass(seconds: number): void
}

export function movedClock(): MovedClock {
  let passed = 0
  return {
    now: () => unixSeconds(startOfTime + passed),
    pass(seconds) {
      passed += seconds
    },
  }
}

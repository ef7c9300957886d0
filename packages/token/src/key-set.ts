/** The public keys a verifier trusts, and the document that publishes them. */

import { createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { type Algorithm, algorithms, type SigningKey } from './signing-key.ts'

export interface VerifyingKey {
  readonly kid: string
  readonly alg: Algorithm
  readonly publicKey: KeyObject
}

export type KeySet = ReadonlyMap<string, VerifyingKey>

export interface Jwks {
  readonly keys: readonly JWK[]
}

const curveOf: Record<Algorithm, string> = { ES256: 'P-256', EdDSA: 'Ed25519' }

export function jwksOf(keys: readonly SigningKey[]): Jwks {
  return { keys: keys.map((key) => key.publicJwk) }
}

/** Keeps the keys whose algorithm and curve are ours and whose `kid` is their own thumbprint. */
export async function readKeySet({ keys }: Jwks): Promise<KeySet> {
  const known = new Map<string, VerifyingKey>()
  for (const jwk of keys) {
    const alg = algorithms.find((ours) => ours === jwk.alg && curveOf[ours] === jwk.crv)
    if (alg === undefined || jwk.kid !== (await calculateJwkThumbprint(jwk))) continue
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    known.set(jwk.kid, { kid: jwk.kid, alg, publicKey })
  }
  return known
}

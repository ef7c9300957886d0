import { createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'

export const algorithms = ['ES256', 'EdDSA'] as const

export type Algorithm = (typeof algorithms)[number]

export interface VerifyingKey {
  readonly kid: string
  readonly alg: Algorithm
  readonly publicKey: KeyObject
}

export type KeySet = ReadonlyMap<string, VerifyingKey>

/** The document by which keys are published. */
export interface Jwks {
  readonly keys: readonly JWK[]
}

const curveOf: Record<Algorithm, string> = { ES256: 'P-256', EdDSA: 'Ed25519' }

/**
 * Keeps the keys whose algorithm and curve are ours and whose `kid` is their own thumbprint.
 *
 * @example
 * ```ts
 * const response = await fetch('https://hub.example/.well-known/jwks.json')
 * const keys = await readKeySet(await response.json())
 * ```
 */
export async function readKeySet(document: unknown): Promise<KeySet> {
  const keys = new Map<string, VerifyingKey>()
  for (const jwk of keysIn(document)) {
    const key = await readKey(jwk)
    if (key !== undefined) keys.set(key.kid, key)
  }
  return keys
}

function keysIn(document: unknown): readonly unknown[] {
  const isObject = typeof document === 'object' && document !== null
  return isObject && 'keys' in document && Array.isArray(document.keys) ? document.keys : []
}

/** Reads a key from any value; a value that cannot be read is no key. */
async function readKey(value: unknown): Promise<VerifyingKey | undefined> {
  if (typeof value !== 'object' || value === null) return undefined
  // Whoever published a private key has no secret left to sign with.
  if ('d' in value) return undefined
  const jwk = value as JWK
  const alg = algorithms.find((ours) => ours === jwk.alg && curveOf[ours] === jwk.crv)
  if (alg === undefined) return undefined
  try {
    const kid = await calculateJwkThumbprint(jwk)
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    return jwk.kid === kid && isPlain(jwk, publicKey) ? { kid, alg, publicKey } : undefined
  } catch {
    return undefined
  }
}

/** Node ignores what does not belong to base64url. A key in two spellings has two ids, and a cut-off would end one of them. */
function isPlain(jwk: JWK, publicKey: KeyObject): boolean {
  const { x, y = jwk.y } = publicKey.export({ format: 'jwk' })
  return x === jwk.x && y === jwk.y
}

/** A key that signs storage tokens and owns its algorithm. */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
} from 'node:crypto'
import type { JWK } from 'jose'
import { tokenType } from './claims.ts'
import type { Algorithm, Jwks } from './key-set.ts'
import { headType } from './revocation-head.ts'

export interface SigningKey {
  readonly kid: string
  readonly alg: Algorithm
  readonly privateKey: KeyObject
  readonly publicJwk: JWK
  /** The encoded protected header of its storage tokens. */
  readonly header: string
  /** The same for its heads of revocation lists. */
  readonly headHeader: string
}

export async function generateSigningKey(alg: Algorithm): Promise<SigningKey> {
  const key = await signingKeyOf(newPrivateKey(alg), alg)
  return isTypable(key) ? key : generateSigningKey(alg)
}

function newPrivateKey(alg: Algorithm): KeyObject {
  const { privateKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('ed25519')
  return privateKey
}

/** A command line takes a word with a leading dash for an option, and one id in 64 would have one. */
function isTypable({ kid }: SigningKey): boolean {
  return !kid.startsWith('-')
}

export function exportSigningKey({ privateKey }: SigningKey): Buffer {
  return privateKey.export({ type: 'pkcs8', format: 'der' })
}

export async function importSigningKey(pkcs8: Buffer, alg: Algorithm): Promise<SigningKey> {
  return signingKeyOf(createPrivateKey({ key: pkcs8, type: 'pkcs8', format: 'der' }), alg)
}

async function signingKeyOf(privateKey: KeyObject, alg: Algorithm): Promise<SigningKey> {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' }) as JWK
  const kid = thumbprintOf(jwk)
  const headerOf = (typ: string) =>
    Buffer.from(JSON.stringify({ alg, kid, typ })).toString('base64url')
  const publicJwk: JWK = { ...jwk, kid, alg, use: 'sig' }
  const [header, headHeader] = [headerOf(tokenType), headerOf(headType)]
  return { kid, alg, privateKey, publicJwk, header, headHeader }
}

/** RFC 7638, without waiting: a hub makes and opens keys inside a transaction, which holds the only writer. */
function thumbprintOf({ crv, kty, x, y }: JWK): string {
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
}

/** The public parts, as the hub publishes them. */
export function jwksOf(keys: readonly SigningKey[]): Jwks {
  return { keys: keys.map((key) => key.publicJwk) }
}

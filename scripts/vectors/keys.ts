/** The keys of the vectors: made from sentences that everybody can read, so nobody may trust them. */

import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  type webcrypto,
} from 'node:crypto'

type Jwk = webcrypto.JsonWebKey

export interface VectorKey {
  readonly alg: 'ES256' | 'EdDSA'
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly privateJwk: Jwk
  readonly publicJwk: Jwk
}

export const esKey = p256('latchkey vectors: this ES256 key signs test data and nothing else')
export const edKey = ed25519('latchkey vectors: this EdDSA key signs test data and nothing else')
/** Signs as well as the others, but no key set holds it. */
export const strangerKey = p256('latchkey vectors: nobody has published this ES256 key')

/** Sign heads of revocations, one after the other, and never tokens. */
export const headKeys = {
  first: p256('latchkey vectors: this ES256 key signs heads of revocations for tests'),
  second: ed25519('latchkey vectors: this EdDSA key signs heads of revocations for tests'),
}

export const jwks = { keys: [esKey.publicJwk, edKey.publicJwk] }

function p256(sentence: string): VectorKey {
  const d = digestOf(sentence)
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(d)
  const point = curve.getPublicKey()
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  return keyOf('ES256', jwk, d, ['crv', 'kty', 'x', 'y'])
}

function ed25519(sentence: string): VectorKey {
  const d = digestOf(sentence)
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), d])
  const publicKey = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }))
  return keyOf('EdDSA', publicKey.export({ format: 'jwk' }) as Jwk, d, ['crv', 'kty', 'x'])
}

/** `thumbed` are the members that the thumbprint covers, in its order (RFC 7638 §3). */
function keyOf(
  alg: VectorKey['alg'],
  jwk: Jwk,
  secret: Buffer,
  thumbed: readonly (keyof Jwk)[],
): VectorKey {
  const parts = Object.fromEntries(thumbed.map((name) => [name, jwk[name]]))
  const kid = digestOf(JSON.stringify(parts)).toString('base64url')
  const publicJwk = { ...parts, kid, alg, use: 'sig' }
  const privateJwk = { ...publicJwk, d: secret.toString('base64url') }
  const privateKey = createPrivateKey({ key: privateJwk, format: 'jwk' })
  return { alg, kid, privateKey, publicKey: createPublicKey(privateKey), privateJwk, publicJwk }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

import { type KeyObject, verify, type webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import type { Jws } from './jws.ts'
import type { Algorithm, VerifyingKey } from './key-set.ts'

/** On the thread pool, so that a flood of forged tokens leaves the event loop to other requests. */
const verifySignature = promisify(verify)

/**
 * A wrong signature is false, never an error: its length was checked before, and so was the kind of the key. An error is
 * therefore one of the platform, and WebCrypto is asked instead. Fails where that fails, too: a token that could not be
 * verified must not be called forged.
 */
export async function isSignedBy(jws: Jws, key: VerifyingKey): Promise<boolean> {
  if (!isKeyOf(key.publicKey, key.alg)) return false
  const data = Buffer.from(jws.signed, 'latin1')
  try {
    return await isSignedByNode(data, jws.signature, key)
  } catch (error) {
    return isSignedByWebCrypto(data, jws.signature, key).catch((second: unknown) => {
      throw new Error(
        `this platform cannot verify a signature of ${key.alg}. node:crypto says: ${messageOf(error)}. WebCrypto says: ${messageOf(second)}`,
        { cause: second },
      )
    })
  }
}

function isSignedByNode(
  data: Buffer,
  signature: Buffer,
  { publicKey, alg }: VerifyingKey,
): Promise<boolean> {
  return alg === 'ES256'
    ? verifySignature('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
    : verifySignature(null, data, publicKey, signature)
}

const webParameters = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
} as const

/** Imported once for each key. */
const webKeys = new WeakMap<KeyObject, webcrypto.CryptoKey>()

/** For workerd, whose `verify` takes no options for a key. */
async function isSignedByWebCrypto(
  data: Buffer,
  signature: Buffer,
  { publicKey, alg }: VerifyingKey,
): Promise<boolean> {
  const { subtle } = globalThis.crypto
  const parameters = webParameters[alg]
  const cachedKey = webKeys.get(publicKey)
  const key =
    cachedKey ?? (await subtle.importKey('jwk', jwkOf(publicKey), parameters, false, ['verify']))
  if (cachedKey === undefined) webKeys.set(publicKey, key)
  return subtle.verify(parameters, key, new Uint8Array(signature), new Uint8Array(data))
}

/** Without `alg`, which platforms spell differently for Ed25519. */
function jwkOf(publicKey: KeyObject): webcrypto.JsonWebKey {
  const { alg: _, ...jwk } = publicKey.export({ format: 'jwk' }) as webcrypto.JsonWebKey
  return jwk
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Security boundary: an integrator's own key set may hold a key of another curve under our algorithm. */
function isKeyOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, alg: Algorithm): boolean {
  return alg === 'ES256'
    ? asymmetricKeyDetails?.namedCurve === 'prime256v1'
    : asymmetricKeyType === 'ed25519'
}

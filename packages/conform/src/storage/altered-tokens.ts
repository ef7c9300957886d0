/** Tokens that differ from a valid one in algorithm or spelling. Each is invalid. */

import { createHmac, createPublicKey } from 'node:crypto'
import type { Jwks } from '@latchkey/token'

/** The difference, and the token. */
export type AlteredToken = readonly [about: string, token: string]

interface Parts {
  readonly header: string
  readonly payload: string
  readonly signature: string
}

function partsOf(token: string): Parts {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return { header, payload, signature }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Each signs with a secret that everybody knows: the public key. */
export function hmacTokens(
  token: string,
  publicKey: Jwks['keys'][number],
): readonly AlteredToken[] {
  const { header, payload } = partsOf(token)
  const names = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), alg: 'HS256' }
  const signed = `${encoded(names)}.${payload}`
  const key = createPublicKey({ key: publicKey, format: 'jwk' })
  const secrets: readonly (readonly [string, string | Buffer])[] = [
    ['HS256 with the public key as PEM', key.export({ type: 'spki', format: 'pem' })],
    ['HS256 with the public key as DER', key.export({ type: 'spki', format: 'der' })],
    ['HS256 with the public key as JWK', JSON.stringify(publicKey)],
    ['HS256 with an empty secret', ''],
  ]
  return secrets.map(([about, secret]) => {
    const signature = createHmac('sha256', secret).update(signed).digest('base64url')
    return [about, `${signed}.${signature}`]
  })
}

/** The signature of ES256 under the name of another algorithm. */
export function renamedAlgorithms(token: string): readonly AlteredToken[] {
  const { header, payload, signature } = partsOf(token)
  const names = JSON.parse(Buffer.from(header, 'base64url').toString())
  return ['RS256', 'ES384', 'es256', 'None'].map((alg) => [
    `the algorithm ${alg}`,
    `${encoded({ ...names, alg })}.${payload}.${signature}`,
  ])
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Decoders of base64 read each of these as the bytes of the valid token. */
export function otherSpellings(token: string): readonly AlteredToken[] {
  const { header, payload, signature } = partsOf(token)
  const signed = `${header}.${payload}`
  // 64 bytes leave four bits of the last character without meaning.
  const last = alphabet.indexOf(signature.slice(-1))
  const sameBytes = `${signature.slice(0, -1)}${alphabet[last ^ 1]}`
  const middle = signature.length / 2
  return [
    ['padding', `${token}==`],
    ['unused bits in the last character', `${signed}.${sameBytes}`],
    [
      'a space in the signature',
      `${signed}.${signature.slice(0, middle)} ${signature.slice(middle)}`,
    ],
    ['a fourth segment', `${token}.`],
    ['a character after the token', `${token}A`],
    ['quotes', `"${token}"`],
  ]
}

/** The valid token with another claim: the signature is of the old one. */
export function changedClaim(token: string, claims: object): string {
  const { header, payload, signature } = partsOf(token)
  const before = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return `${header}.${encoded({ ...before, ...claims })}.${signature}`
}

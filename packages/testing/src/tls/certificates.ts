/** Issuers and certificates of a test's own, right or wrong in one thing. */

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { der, objectId, sequence, utcTime } from './der.ts'

export interface KeyedCertificate {
  /** Both in PEM. */
  readonly cert: string
  readonly key: string
}

export interface Issuer extends KeyedCertificate {
  issue(wanted: Wanted): KeyedCertificate
}

export interface Wanted {
  /** Host names and IPv4 addresses. */
  readonly names: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
}

interface Keys {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export function newIssuer(name: string): Issuer {
  const keys = newKeys()
  const isAuthority = extension('2.5.29.19', sequence(der(0x01, Buffer.of(0xff))))
  const cert = certificate({ name, keys, extensions: isAuthority }, { name, keys })
  return {
    cert,
    key: pemOf(keys),
    issue: (wanted) => leaf(wanted, { name, keys }),
  }
}

/** Its own issuer, and no authority. */
export function selfSigned(wanted: Wanted): KeyedCertificate {
  return leaf(wanted)
}

function leaf(wanted: Wanted, issuer?: Signer): KeyedCertificate {
  const keys = newKeys()
  const own = { name: wanted.names[0] ?? '', keys }
  const names = wanted.names.map((name) =>
    isIPv4(name)
      ? der(0x87, Buffer.from(name.split('.').map(Number)))
      : der(0x82, Buffer.from(name)),
  )
  const extensions = extension('2.5.29.17', sequence(...names))
  return { cert: certificate({ ...wanted, ...own, extensions }, issuer ?? own), key: pemOf(keys) }
}

interface Signer {
  readonly name: string
  readonly keys: Keys
}

interface Subject extends Signer, Omit<Wanted, 'names'> {
  readonly extensions: Buffer
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))
const dayMs = 24 * 60 * 60 * 1000

/** RFC 5280 §4.1 */
function certificate(subject: Subject, issuer: Signer): string {
  const now = Date.now()
  const { notBefore = new Date(now - dayMs), notAfter = new Date(now + dayMs) } = subject
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    nameOf(issuer.name),
    sequence(utcTime(notBefore), utcTime(notAfter)),
    nameOf(subject.name),
    subject.keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subject.extensions)),
  )
  const signature = sign('sha256', signed, issuer.keys.privateKey)
  const whole = sequence(signed, ecdsaWithSha256, der(0x03, Buffer.of(0), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(0x04, value))
}

/** A common name alone. */
function nameOf(name: string): Buffer {
  return sequence(der(0x31, sequence(objectId('2.5.4.3'), der(0x0c, Buffer.from(name)))))
}

function newKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pemOf({ privateKey }: Keys): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/**
 * Encrypts the answer to a device code or a refresh token with a key from that credential itself. The database has only
 * the hash of the credential, so nobody opens the answer but the program that sends the credential again.
 */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { z } from 'zod'

export interface TokenPair {
  readonly accessToken: Secret<'hub-token'>
  readonly refreshToken: Secret<'refresh-token'>
  /** When the access token ends. */
  readonly expiresAt: UnixSeconds
  readonly scope: string
}

export type ExchangedSecret = Secret<'device-code'> | Secret<'refresh-token'>

const nonceLength = 12
const tagLength = 16

export function sealPair(pair: TokenPair, by: ExchangedSecret): string {
  const { accessToken, refreshToken, expiresAt, scope } = pair
  return seal([accessToken.reveal(), refreshToken.reveal(), expiresAt, scope], by)
}

export function seal(values: readonly unknown[], by: ExchangedSecret): string {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(by), nonce)
  const text = JSON.stringify(values)
  const sealed = [nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(sealed).toString('base64')
}

const content = z.tuple([z.string(), z.string(), z.int(), z.string()])

/** Throws where the database was altered. */
export function openSealed(sealed: string, by: ExchangedSecret): unknown {
  const bytes = Buffer.from(sealed, 'base64')
  const nonce = bytes.subarray(0, nonceLength)
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(by), nonce, { authTagLength: tagLength })
  decipher.setAuthTag(bytes.subarray(-tagLength))
  const opened = decipher.update(bytes.subarray(nonceLength, -tagLength))
  return JSON.parse(Buffer.concat([opened, decipher.final()]).toString())
}

export function openPair(sealed: string, by: ExchangedSecret): TokenPair {
  const [accessToken, refreshToken, expiresAt, scope] = content.parse(openSealed(sealed, by))
  return {
    accessToken: new Secret('hub-token', accessToken),
    refreshToken: new Secret('refresh-token', refreshToken),
    expiresAt: unixSeconds(expiresAt),
    scope,
  }
}

function keyFrom(by: ExchangedSecret): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', by.reveal(), '', 'latchkey repeated answer', 32))
}

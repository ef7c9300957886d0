/**
 * Encrypts the answer to a device code or a refresh token with a key from that credential itself. The database has only
 * the hash of the credential, so nobody opens the answer but the program that sends the credential again.
 */

import { hkdfSync } from 'node:crypto'
import { Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { seal, unseal } from '@latchkey/service/machine/seal'
import { z } from 'zod'

export interface TokenPair {
  readonly accessToken: Secret<'hub-token'>
  readonly refreshToken: Secret<'refresh-token'>
  /** When the access token ends. */
  readonly expiresAt: UnixSeconds
  readonly scope: string
}

export type ExchangedSecret = Secret<'device-code'> | Secret<'refresh-token'>

export function sealPair(pair: TokenPair, by: ExchangedSecret): string {
  const { accessToken, refreshToken, expiresAt, scope } = pair
  return sealAnswer([accessToken.reveal(), refreshToken.reveal(), expiresAt, scope], by)
}

export function sealAnswer(values: readonly unknown[], by: ExchangedSecret): string {
  return seal(JSON.stringify(values), { key: keyFrom(by) }).toString('base64')
}

const content = z.tuple([z.string(), z.string(), z.int(), z.string()])

/** Throws where the database was altered. */
export function openAnswer(sealed: string, by: ExchangedSecret): unknown {
  const opened = unseal(Buffer.from(sealed, 'base64'), { key: keyFrom(by) })
  if (opened === undefined) throw new Error('the kept answer of a device was altered')
  return JSON.parse(opened.toString())
}

export function openPair(sealed: string, by: ExchangedSecret): TokenPair {
  const [accessToken, refreshToken, expiresAt, scope] = content.parse(openAnswer(sealed, by))
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

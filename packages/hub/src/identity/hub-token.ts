/** The hub token's format: how one is made, checked without a lookup, and stored as a hash. */

import { hash } from 'node:crypto'
import { Secret } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { crc32 } from './crc32.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43
const checksumLength = 6
const shape = new RegExp(`^([a-z][a-z0-9]{0,15}_)[0-9A-Za-z]{${randomLength + checksumLength}}$`)

export const defaultPrefix = 'lk_'

export function makeHubToken(prefix: string, randomBytes: RandomBytes): Secret<'hub-token'> {
  const body = prefix + base62(randomBytes(32))
  return new Secret('hub-token', body + checksumOf(body))
}

/** Undefined unless the prefix is one of ours and the checksum is right. */
export function parseHubToken(
  text: string,
  prefixes: ReadonlySet<string>,
): Secret<'hub-token'> | undefined {
  const prefix = shape.exec(text)?.[1]
  if (prefix === undefined || !prefixes.has(prefix)) return undefined
  const body = text.slice(0, -checksumLength)
  return text.endsWith(checksumOf(body)) ? new Secret('hub-token', text) : undefined
}

/** The hash that the database stores in place of the token. */
export function hashHubToken(token: Secret<'hub-token'>): string {
  return hash('sha256', token.reveal(), 'hex')
}

/** The last four characters of the random part, to tell tokens apart in a list. */
export function hintOf(token: Secret<'hub-token'>): string {
  return token.reveal().slice(-checksumLength - 4, -checksumLength)
}

function checksumOf(body: string): string {
  let text = ''
  for (let rest = crc32(body); text.length < checksumLength; rest = Math.floor(rest / 62)) {
    text = alphabet.charAt(rest % 62) + text
  }
  return text
}

/** 256 bits need 43 digits to the base of 62. */
function base62(bytes: Buffer): string {
  let text = ''
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); text.length < randomLength; rest /= 62n) {
    text = alphabet.charAt(Number(rest % 62n)) + text
  }
  return text
}

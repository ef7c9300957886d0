/** The hub token's format: how one is made, checked without a lookup, and stored as a hash. */

import { hash } from 'node:crypto'
import { Secret, type SecretKind } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { crc32 } from './crc32.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43
const checksumLength = 6
const shape = new RegExp(`^([a-z][a-z0-9]{0,15}_)[0-9A-Za-z]{${randomLength + checksumLength}}$`)

export const defaultPrefix = 'lk_'

/** The prefix of sessions. The hub accepts them from their cookie alone. */
export const sessionPrefix = 'lks_'

export function makeHubToken(prefix: string, randomBytes: RandomBytes): Secret<'hub-token'> {
  return makeOpaque('hub-token', prefix, randomBytes)
}

/** Undefined unless the prefix is one of ours and the checksum is right. */
export function parseHubToken(
  text: string,
  prefixes: ReadonlySet<string>,
): Secret<'hub-token'> | undefined {
  return parseOpaque('hub-token', text, prefixes)
}

/** A credential of the same form that is no hub token. */
export function makeOpaque<Kind extends SecretKind>(
  kind: Kind,
  prefix: string,
  randomBytes: RandomBytes,
): Secret<Kind> {
  const body = prefix + base62(randomBytes(32))
  return new Secret(kind, body + checksumOf(body))
}

export function parseOpaque<Kind extends SecretKind>(
  kind: Kind,
  text: string,
  prefixes: ReadonlySet<string>,
): Secret<Kind> | undefined {
  const prefix = shape.exec(text)?.[1]
  if (prefix === undefined || !prefixes.has(prefix)) return undefined
  const body = text.slice(0, -checksumLength)
  return text.endsWith(checksumOf(body)) ? new Secret(kind, text) : undefined
}

/** The hash that the database stores in place of the token. */
export function hashHubToken(token: Secret<SecretKind>): string {
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

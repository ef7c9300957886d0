/** The credentials of the device flow: device codes and refresh tokens for programs, user codes for people. */

import type { Secret } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { makeOpaque, parseOpaque } from './hub-token.ts'

const deviceCodePrefix = 'lkd_'
const refreshTokenPrefix = 'lkr_'

const deviceCodePrefixes = new Set([deviceCodePrefix])
const refreshTokenPrefixes = new Set([refreshTokenPrefix])

export function makeDeviceCode(randomBytes: RandomBytes): Secret<'device-code'> {
  return makeOpaque('device-code', deviceCodePrefix, randomBytes)
}

export function parseDeviceCode(text: string): Secret<'device-code'> | undefined {
  return parseOpaque('device-code', text, deviceCodePrefixes)
}

export function makeRefreshToken(randomBytes: RandomBytes): Secret<'refresh-token'> {
  return makeOpaque('refresh-token', refreshTokenPrefix, randomBytes)
}

export function parseRefreshToken(text: string): Secret<'refresh-token'> | undefined {
  return parseOpaque('refresh-token', text, refreshTokenPrefixes)
}

/** Consonants alone, so that no word appears, and none that look alike. RFC 8628 §6.1 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const userCodeLength = 8

/** Every letter is equally likely: bytes above the last whole multiple of the alphabet are left out. */
export function makeUserCode(randomBytes: RandomBytes): string {
  const limit = 256 - (256 % letters.length)
  let code = ''
  while (code.length < userCodeLength) {
    for (const byte of randomBytes(2 * userCodeLength)) {
      if (byte < limit && code.length < userCodeLength) code += letters[byte % letters.length]
    }
  }
  return code
}

/** As a person types it: in any case, with any signs between the letters. */
export function parseUserCode(text: string): string | undefined {
  if (text.length > 64) return undefined
  const code = text.toUpperCase().replaceAll(/[\s\-_.]/g, '')
  return new RegExp(`^[${letters}]{${userCodeLength}}$`).test(code) ? code : undefined
}

/** With a sign in the middle, which is easier to read. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, userCodeLength / 2)}-${code.slice(userCodeLength / 2)}`
}

/** The cookie of a session. */

import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { clearCookie, readCookie, setCookie } from '../../src/sessions/cookie.ts'

const value = 'Ab-_'.repeat(11).slice(0, 43)
const [tls, plain] = ['https://hub.example', 'http://hub.example:8080']
const sent = (cookie: string) => ({ headers: { cookie } }) as IncomingMessage

// biome-ignore format: a table is read by its columns
test.each([
  ['none',                          tls,   ''],
  ['one of a plain hub',            tls,   `latchkey-session=${value}`],
  ['two',                           tls,   `__Host-latchkey-session=${value}; __Host-latchkey-session=${value}`],
  ['a name in other letters',       tls,   `__host-latchkey-session=${value}`],
  ['a name that only ends so',      plain, `x-latchkey-session=${value}`],
  ['a value that is too short',     plain, `latchkey-session=${value.slice(1)}`],
  ['a value with other characters', plain, `latchkey-session=${value.slice(1)}=`],
])('is not taken: %s', (_, publicUrl, cookie) => {
  expect(readCookie(sent(cookie), publicUrl)).toBeUndefined()
})

test.each([tls, plain])('is read as it was set at %s, beside others', (publicUrl) => {
  const [, line = ''] = setCookie(value, publicUrl)
  const [pair] = line.split(';')
  expect(readCookie(sent(`a=b; ${pair};c=d`), publicUrl)).toBe(value)
})

test('is for the browser alone, and over TLS for this host alone', () => {
  const kept = 'Path=/; Max-Age=7200; HttpOnly; SameSite=Strict'
  expect(setCookie(value, tls)).toEqual([
    ...['Set-Cookie', `__Host-latchkey-session=${value}; ${kept}; Secure`],
  ])
  expect(setCookie(value, plain)).toEqual(['Set-Cookie', `latchkey-session=${value}; ${kept}`])
  expect(clearCookie(plain)).toEqual([
    ...['Set-Cookie', `latchkey-session=; ${kept.replace('7200', '0')}`],
  ])
})

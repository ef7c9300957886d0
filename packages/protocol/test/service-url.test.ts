/** Which URLs a service may be found at. */

import { isIPv4 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCasUrl, isLoopback, isPlainHttp, isServiceUrl } from '../src/service-url.ts'

describe('this machine', () => {
  const others = ['127.0.0.1.example', '128.0.0.1', '127.0.0.256', '127.0.0.01', '127.1', '::2']
  test.each([
    ...others,
    'x127.0.0.1',
    'localhost.example',
    '',
    '0.0.0.0',
    '127.0.0.1.1',
    '12[7.0.0.1',
    '127]0.0.1',
  ])('is not %j', (host) => expect(isLoopback(host)).toBe(false))

  test.each(['localhost', 'LOCALHOST', '::1', '[::1]', '127.0.0.1', '127.255.255.255'])(
    'is %s',
    (host) => expect(isLoopback(host)).toBe(true),
  )

  test('is every address of 127.0.0.0/8 as Node reads them, and no other text of that kind', () => {
    const part = fc.oneof(fc.nat(300).map(String), fc.stringMatching(/^\d{0,3}$/))
    fc.assert(
      fc.property(fc.tuple(part, part, part), (parts) => {
        const host = `127.${parts.join('.')}`
        expect(isLoopback(host)).toBe(isIPv4(host))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the URL of a service', () => {
  test.each([
    ['ftp://a.example', 'another scheme'],
    ['https://a.example/', 'a slash at the end'],
    ['https://a.example/x/', 'a slash at the end of a path'],
    ['https://a.example/x//', 'two slashes at the end'],
    ['https://A.example', 'capitals in the host'],
    ['https://a.example:443', 'the port that goes without saying'],
    ['https://u@a.example', 'a user'],
    ['https://u:p@a.example', 'a user with a password'],
    ['https://:p@a.example', 'a password'],
    ['https://a.example/x?', 'an empty query'],
    ['https://a.example#x', 'a fragment'],
    ['https://a.example/x/../y', 'a path that leads back'],
    ['a.example', 'no scheme'],
    ['', 'nothing'],
  ])('is not %j: %s', (url) => expect(isServiceUrl(url)).toBe(false))

  test.each([
    'http://127.0.0.1:8080',
    'https://a.example',
    'https://a.example/x/y',
    'http://[::1]',
  ])('is %s', (url) => expect(isServiceUrl(url)).toBe(true))
})

describe('the URL of a storage', () => {
  const long = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`

  test.each([
    'https://{repo}.example',
    'https://a.example/{repo}/{repo}',
    'https://a.example/{ref}/{ref}',
    'https://a.example/{name}',
    'https://a.example/{repo',
    'https://a.example/{repo}/',
    'https://a.example/{repo}?x={ref}',
    'a.example/{repo}',
    long(2049),
    'https://a.example/a;b/{repo}/{ref}',
    'https://A.example/{repo}/{ref}',
    'ftp://a.example/{repo}/{ref}',
    'https://a.example//{repo}/{ref}',
    'https://a.example/%72/{repo}/{ref}',
    'https://a.example/a%2Fb/{repo}/{ref}',
  ])('is not %s', (url) => expect(isCasUrl(url)).toBe(false))

  test.each([
    'https://a.example',
    'https://a.example/r/{repo}/{ref}',
    'http://a/{ref}',
    long(2048),
  ])('is %s', (url) => expect(isCasUrl(url)).toBe(true))
})

test.each([
  ['http://a.example', true],
  ['http://10.0.0.1:8080/x', true],
  ['https://a.example', false],
  ['http://127.0.0.1:8080', false],
  ['http://[::1]:8080', false],
  ['http://localhost', false],
])('%s shows tokens on the way: %s', (url, expected) => expect(isPlainHttp(url)).toBe(expected))

/** Addresses that would make every token too long are noticed at the start. */

import { parseStorageName } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { describe, expect, test } from 'vitest'
import { refuseUnusableAddresses } from '../../src/minting/refuse-unusable-addresses.ts'

describe('addresses too long for a token do not start', () => {
  const url = (length: number) => `https://${'h'.repeat(length - 'https://'.length)}`
  const hub = url(20)

  test.each([
    ['a casUrl of 2049 characters', hub, `${url(100)}/{repo}${'x'.repeat(1942)}`],
    ['1301 characters together', url(650), url(651)],
    ['1301 characters together, most of them the hub', url(1281), url(20)],
    ['1301 characters together, counted to the placeholder', url(1280), `${url(21)}/{repo}/x`],
  ])('%s', (_, publicUrl, casUrl) => {
    expect(() => refuseUnusableAddresses({ publicUrl, casUrl })).toThrow(CannotStart)
    expect(() => refuseUnusableAddresses({ publicUrl, casUrl })).toThrow(/1301|2049/)
  })

  test.each([
    ['a casUrl of 2048 characters', hub, `${url(100)}/{repo}${'x'.repeat(1941)}`],
    ['1300 characters together', url(650), url(650)],
    ['1300 characters together, counted to the placeholder', url(1280), `${url(20)}/{repo}/x`],
  ])('while %s do', (_, publicUrl, casUrl) => {
    expect(() => refuseUnusableAddresses({ publicUrl, casUrl })).not.toThrow()
  })
})

describe('storages that a token could not tell apart do not start', () => {
  const named = (name: string, casUrl: string) => ({
    name: parseStorageName(name) ?? expect.unreachable(),
    casUrl,
  })
  const addresses = { publicUrl: 'https://hub.example', casUrl: 'https://cas.example/r/{repo}' }
  const eu = named('eu', 'https://eu.example/{repo}')

  test.each([
    [
      'the address of casUrl',
      [named('eu', 'https://cas.example/r/{ref}/{repo}')],
      /the same up to/,
    ],
    ['the address of another', [eu, named('us', 'https://eu.example')], /the same up to/],
    ['one name twice', [eu, named('eu', 'https://us.example')], /the name eu twice/],
    ['the name of casUrl', [named('default', 'https://us.example')], /default twice: it is/],
    [
      'an address too long',
      [named('eu', `https://eu.example/${'x'.repeat(1300)}`)],
      /storages\.eu/,
    ],
  ])('%s', (_, storages, reason) => {
    expect(() => refuseUnusableAddresses({ ...addresses, storages })).toThrow(CannotStart)
    expect(() => refuseUnusableAddresses({ ...addresses, storages })).toThrow(reason)
  })

  test('while storages with addresses of their own do', () => {
    const storages = [eu, named('us', 'https://us.example/{repo}/{ref}')]
    expect(() => refuseUnusableAddresses({ ...addresses, storages })).not.toThrow()
  })
})

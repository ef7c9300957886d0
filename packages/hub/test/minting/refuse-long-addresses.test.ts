/** Addresses that would make every token too long are noticed at the start. */

import { CannotStart } from '@latchkey/service/machine/errors'
import { describe, expect, test } from 'vitest'
import { refuseLongAddresses } from '../../src/minting/refuse-long-addresses.ts'

describe('addresses too long for a token do not start', () => {
  const url = (length: number) => `https://${'h'.repeat(length - 'https://'.length)}`
  const hub = url(20)

  test.each([
    ['a casUrl of 2049 characters', hub, `${url(100)}/{repo}${'x'.repeat(1942)}`],
    ['1301 characters together', url(650), url(651)],
    ['1301 characters together, most of them the hub', url(1281), url(20)],
    ['1301 characters together, counted to the placeholder', url(1280), `${url(21)}/{repo}/x`],
  ])('%s', (_, publicUrl, casUrl) => {
    expect(() => refuseLongAddresses({ publicUrl, casUrl })).toThrow(CannotStart)
    expect(() => refuseLongAddresses({ publicUrl, casUrl })).toThrow(/1301|2049/)
  })

  test.each([
    ['a casUrl of 2048 characters', hub, `${url(100)}/{repo}${'x'.repeat(1941)}`],
    ['1300 characters together', url(650), url(650)],
    ['1300 characters together, counted to the placeholder', url(1280), `${url(20)}/{repo}/x`],
  ])('while %s do', (_, publicUrl, casUrl) => {
    expect(() => refuseLongAddresses({ publicUrl, casUrl })).not.toThrow()
  })
})

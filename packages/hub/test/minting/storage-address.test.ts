/** Where the storage is, as tokens and clients are told. */

import { describe, expect, test } from 'vitest'
import { refuseLongAddresses, storageAddress } from '../../src/minting/storage-address.ts'
import { CannotStart } from '../../src/operations/cannot-start.ts'

describe('the address of the storage', () => {
  test.each([
    ['https://cas.example', 'https://cas.example', 'https://cas.example'],
    ['https://cas.example/cas', 'https://cas.example/cas', 'https://cas.example/cas'],
    ['https://cas.example/r/{repo}/{ref}', 'https://cas.example/r', 'https://cas.example/r/R/F'],
    ['https://cas.example/r/{ref}/{repo}', 'https://cas.example/r', 'https://cas.example/r/F/R'],
    ['https://cas.example/{repo}', 'https://cas.example', 'https://cas.example/R'],
    ['https://cas.example//{repo}/x', 'https://cas.example', 'https://cas.example//R/x'],
    ['https://cas.example/r-{repo}/{ref}', 'https://cas.example/r-', 'https://cas.example/r-R/F'],
  ])('%s is the audience %s and, for one ref, %s', (casUrl, audience, url) => {
    const address = storageAddress(casUrl)
    expect(address.audience).toBe(audience)
    expect(address.urlFor('R', 'F')).toBe(url)
  })

  test('is another one for every repository and ref where it holds both', () => {
    const { urlFor } = storageAddress('https://cas.example/{repo}/{ref}')
    const urls = [urlFor('a', 'x'), urlFor('a', 'y'), urlFor('b', 'x')]
    expect(new Set(urls).size).toBe(3)
  })
})

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

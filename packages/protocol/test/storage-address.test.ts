/** Where the storage is, as tokens and clients are told. */

import { describe, expect, test } from 'vitest'
import { storageAddress } from '../src/storage-address.ts'

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

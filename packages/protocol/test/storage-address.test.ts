/** Where the storage is, as tokens and clients are told. */

import { describe, expect, test } from 'vitest'
import { asRefUid, asRepositoryUid, refUidIn } from '../src/ids.ts'
import { storageAddress } from '../src/service-url.ts'

const [a, b] = [asRepositoryUid('a'), asRepositoryUid('b')]
const [x, y] = [asRefUid('x'), asRefUid('y')]

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
    expect(address.urlFor(asRepositoryUid('R'), asRefUid('F'))).toBe(url)
  })

  test('is another one for every repository and ref where it holds both', () => {
    const { urlFor } = storageAddress('https://cas.example/{repo}/{ref}')
    const urls = [urlFor(a, x), urlFor(a, y), urlFor(b, x)]
    expect(new Set(urls).size).toBe(3)
  })

  test('is another one for every epoch of a repository, with the same audience and ref', () => {
    const { urlFor } = storageAddress('https://cas.example/{repo}/{ref}')
    expect(urlFor(a, x, 0)).toBe(urlFor(a, x))
    const urls = [0, 1, 2, 30].map((epoch) => urlFor(a, x, epoch))
    expect(urls.slice(1)).toEqual(
      ['1', '2', '30'].map((epoch) => `https://cas.example/a/x-${epoch}`),
    )
    expect(urls.map((url) => refUidIn(url.split('/').at(-1) ?? ''))).toEqual(['x', 'x', 'x', 'x'])
  })

  test('is the same in every epoch where it names no ref', () => {
    expect(storageAddress('https://cas.example').urlFor(a, x, 3)).toBe('https://cas.example')
  })

  test.each(['x', 'x-0', 'x-01', 'x-', 'x-1a', 'x-y', '-', '', 'x-1-'])(
    '%j is no ref with an epoch, and stands for itself',
    (segment) => {
      expect(refUidIn(segment)).toBe(segment)
    },
  )
})

/** The prefix that casUrl gives a request is read off it, and nothing is lost or added on the way. */

import {
  asRefUid,
  asRepositoryUid,
  type NormalPath,
  parseNormalPath,
  refUidIn,
  storageAddress,
} from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { bearer, bert, issuer, keys, main, movedClock } from '@latchkey/testing/gate/storage-tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { placeByPrefix, type StoragePlace } from '../../src/place/locate.ts'
import { asking } from '../check/ask.ts'

function placeOf(casUrl: string, path: string): StoragePlace | undefined {
  const normal = parseNormalPath(path)
  if (normal === undefined) return expect.unreachable(`${path} is not normal`)
  const request = { method: 'GET', target: path, headers: [], authorization: [], query: '' }
  return placeByPrefix(casUrl, 'none')({ ...request, address: undefined, path: normal })
}

const arbitrarySegment = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'abzAZ09._~-!$&*+,=:@()', "'"),
      fc.constantFrom('%20', '%C3%A9', '%2B', '%e2%82%ac'),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''))
  .filter((segment) => parseNormalPath(`/${segment}`) !== undefined)

const arbitraryPath = fc
  .array(arbitrarySegment, { maxLength: 7 })
  .map((segments) => `/${segments.join('/')}` as NormalPath)

const arbitraryPrefix = fc
  .tuple(
    fc.array(fc.constantFrom('r', 'cas', 'a.b', 'x+y', '(', '$1', '*'), { maxLength: 3 }),
    fc.constantFrom<readonly string[]>(
      [],
      ['{repo}'],
      ['{ref}'],
      ['{repo}', '{ref}'],
      ['{ref}', '{repo}'],
      ['{repo}', 'at', '{ref}'],
      ['{repo}', '{ref}', 'cas'],
    ),
  )
  .map(([fixed, placeholders]) => [...fixed, ...placeholders])

function casUrlOf(segments: readonly string[]): string {
  return `https://cas.example${segments.map((segment) => `/${segment}`).join('')}`
}

/** A bare prefix leaves the root, which no request spells with a slash of its own. */
function joined({ prefix, path }: { readonly prefix: string; readonly path: string }): string {
  return path === '/' && prefix !== '' ? prefix : prefix + path
}

test('prefix and path together are the path of the request', () => {
  fc.assert(
    fc.property(arbitraryPrefix, arbitraryPath, (segments, path) => {
      const place = placeOf(casUrlOf(segments), path)
      if (place !== undefined) expect(joined(place)).toBe(path)
    }),
    { numRuns: rounds(600, 2000) },
  )
})

test('what casUrl was made of comes back, uid by uid and byte for byte, whatever the epoch', () => {
  fc.assert(
    fc.property(
      arbitraryPrefix,
      arbitrarySegment,
      arbitrarySegment,
      arbitraryPath,
      (segments, repositoryUid, refUid, path) => {
        const casUrl = casUrlOf(segments)
        const filled = segments
          .map((part) => ({ '{repo}': repositoryUid, '{ref}': refUid })[part] ?? part)
          .map((part) => `/${part}`)
          .join('')
        const place = placeOf(casUrl, joined({ prefix: filled, path }) || '/')
        expect(place).toEqual({
          path,
          prefix: filled,
          checkedPaths: [path],
          repositoryUid: segments.includes('{repo}') ? repositoryUid : undefined,
          refUid: segments.includes('{ref}') ? refUidIn(refUid) : undefined,
        })
      },
    ),
    { numRuns: rounds(600, 2000) },
  )
})

test('the path that is left is normal again', () => {
  fc.assert(
    fc.property(arbitraryPrefix, arbitraryPath, (segments, path) => {
      const place = placeOf(casUrlOf(segments), path)
      if (place !== undefined) expect(parseNormalPath(place.path)).toBe(place.path)
    }),
  )
})

describe('a path that does not begin with the whole prefix names no place', () => {
  test.each([
    ['https://cas.example/r/{repo}/{ref}', '/r/a'],
    ['https://cas.example/r/{repo}/{ref}', '/'],
    ['https://cas.example/r/{repo}/{ref}', '/rr/a/b/c'],
    ['https://cas.example/r/{repo}/{ref}', '/x/r/a/b/c'],
    ['https://cas.example/cas', '/cas2/x'],
    ['https://cas.example/cas', '/CAS/x'],
    ['https://cas.example/a.b/{repo}/{ref}', '/aXb/a/b'],
    ['https://cas.example/{repo}/{ref}/cas', '/a/b/casual'],
    ['https://cas.example/{repo}/at/{ref}', '/a/in/b'],
  ])('%s and %s', (casUrl, path) => {
    expect(placeOf(casUrl, path)).toBeUndefined()
  })
})

describe('at the gate', () => {
  const clock = movedClock().now
  const arbitraryUid = fc.oneof(
    arbitrarySegment,
    fc.constantFrom('bertuid', 'mainuid', 'BERTUID', 'bertuid%20', 'bertui', 'bert%C3%BCid'),
  )

  // conformance: Authentication / 5. A token is valid for one repository and one ref
  test('every admitted request names the uids of its token, and loses its prefix alone', async () => {
    const gate = createGate({ keys, issuer, casUrl: 'https://cas.example/r/{repo}/{ref}', clock })
    await fc.assert(
      fc.asyncProperty(arbitraryUid, arbitraryUid, arbitraryPath, async (repo, ref, path) => {
        const target = joined({ prefix: `/r/${repo}/${ref}`, path })
        const checked = await gate.check(asking(bearer(), { target }))
        expect(checked.ok).toBe(repo === bert.uid && ref === main.uid)
        if (checked.ok) expect(joined(checked)).toBe(target)
      }),
      { numRuns: rounds(200, 500) },
    )
  })

  test('the casUrl that a hub hands out is admitted for any uids', async () => {
    const casUrl = 'https://cas.example/r/{repo}/{ref}'
    const gate = createGate({ keys, issuer, casUrl, clock })
    const id = fc.string({ unit: fc.constantFrom(...'abcxyz234567'), minLength: 26, maxLength: 26 })
    await fc.assert(
      fc.asyncProperty(id, id, async (repositoryText, refText) => {
        const repositoryUid = asRepositoryUid(repositoryText)
        const refUid = asRefUid(refText)
        const url = new URL(storageAddress(casUrl).urlFor(repositoryUid, refUid))
        const repo = { ...bert, uid: repositoryUid }
        const ref = { ...main, uid: refUid }
        const target = `${url.pathname}/v1/chunks/default/a`
        const checked = await gate.check(asking(bearer({ repo, ref }), { target }))
        expect(checked).toMatchObject({ ok: true, path: '/v1/chunks/default/a' })
      }),
      { numRuns: 100 },
    )
  })
})

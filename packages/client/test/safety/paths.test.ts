/** A path stays below casUrl, and what was judged is what is sent. */

import { anyText } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStoragePath, storageUrl } from '../../src/storage/storage-request.ts'
import { casUrl, openWorld } from '../world.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 20_000 : 600

/** Bits of which paths are made that lead elsewhere. */
const bits = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('/', '//', '\\', '..', '.', '@', ':', '?', '#', '%') },
  { weight: 3, arbitrary: fc.constantFrom('%2e', '%2F', '%5c', '%00', '%0a', '%E4', '%C3%A4') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\t', '\n', '\r', ' ', '\u0000', 'ä', '／', '。', '\ud800'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('evil.example', 'https:', 'v1', 'shards', ';', '{', '"'),
  },
  { weight: 1, arbitrary: anyText({ maxLength: 4 }) },
)
const nearlyPath = fc.array(bits, { maxLength: 8 }).map((pieces) => pieces.join(''))
const goodSegment = fc.stringMatching(/^[A-Za-z0-9_~!$&'()*+,=:@-]{1,12}$/)
const goodPath = fc.array(goodSegment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
const anyPath = fc.oneof(
  nearlyPath,
  nearlyPath.map((text) => `/${text}`),
  fc.tuple(goodPath, nearlyPath).map(([path, text]) => `${path}?${text}`),
  fc.tuple(goodPath, nearlyPath).map(([path, text]) => path + text),
  fc.string(),
)
const anyCasUrl = fc.constantFrom(
  ...['https://cas.example', 'https://cas.example/r', casUrl, 'http://127.0.0.1:8081/a/b'],
  ...['https://cas.example/r/a%20b', 'http://[::1]:9/x', 'https://cas.example//r', 'https://c/;x'],
)

function read(path: string) {
  try {
    return readStoragePath(path)
  } catch (error) {
    expect(error).toMatchObject({ code: 'path_refused' })
    return undefined
  }
}

describe('a path that is refused', () => {
  it.each(
    [
      [
        '',
        'v1/a',
        '//v1/a',
        '///a',
        '/a//b',
        '/a/',
        '/./a',
        '/a/..',
        '/../a',
        '/%2e%2e/a',
        '/%2E/a',
      ],
      [
        '/a\\b',
        '\\a',
        '/a/%2fb',
        '/a%5cb',
        '/a%00',
        '/a\u0000',
        '/ä',
        '/a b',
        ' /a',
        '/a\n',
        '/a\tb',
      ],
      [
        '/a;b',
        '/a#b',
        '/a?b#c',
        '/a?b c',
        '/a?"',
        "/a?'",
        '/a?ä',
        '/a?<',
        '/a?\n',
        '/%41',
        '/a%zz',
      ],
      ['https://cas.example/a', '//cas.example/a', '@evil.example/', ':80/', '?a', '#a', '.', '..'],
    ].flat(),
  )('sends nothing anywhere: %j', async (path) => {
    const world = openWorld()
    const call = world.client().fetch(path)
    await expect(call).rejects.toMatchObject({ code: 'path_refused' })
    await expect(call).rejects.not.toThrow(/evil/)
    expect(world.seen).toEqual([])
  })
})

describe('a path that is taken', () => {
  it.each([
    '/',
    '/v1/a',
    '/v1/a?b',
    '/v1/a?b=c&d=%20e/f?g',
    '/v1/a?',
    "/v1/a'b",
    '/a%20b',
    '/%C3%A4',
  ])('is sent as it was given: %s', async (path) => {
    const world = openWorld()
    await world.client().fetch(path)
    expect(world.stored[0]?.url).toBe(casUrl + path)
  })

  // conformance: Attacks / 28. An attacker makes a client send a token to another origin
  it('keeps the origin and the prefix of any casUrl', () => {
    let taken = 0
    fc.assert(
      fc.property(anyPath, anyCasUrl, (path, casUrl) => {
        const target = read(path)
        if (target === undefined) return
        taken += 1
        const url = new URL(storageUrl(casUrl, target))
        const home = new URL(casUrl)
        expect(url.origin).toBe(home.origin)
        expect(url.pathname.startsWith(`${home.pathname.replace(/\/$/, '')}/`)).toBe(true)
        expect([url.username, url.password, url.hash]).toEqual(['', '', ''])
      }),
      { numRuns: runs },
    )
    expect(taken).toBeGreaterThan(runs / 30)
  })

  it('is judged and sent as the same path, byte for byte', () => {
    fc.assert(
      fc.property(anyPath, anyCasUrl, (path, casUrl) => {
        const target = read(path)
        if (target === undefined) return
        const url = storageUrl(casUrl, target)
        expect(new URL(url).href).toBe(url)
        expect(url).toBe(casUrl + path)
        expect(new URL(url).pathname).toBe(
          new URL(casUrl).pathname.replace(/\/$/, '') + target.path,
        )
      }),
      { numRuns: runs },
    )
  })

  it('begins with exactly one slash', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        if (read(path) !== undefined) expect(path).toMatch(/^\/(?!\/)/)
      }),
      { numRuns: runs },
    )
  })
})

/** Which paths of storage requests are in their one normal spelling. */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseNormalPath } from '../src/index.ts'
import { arbitraryText } from './arbitraries.ts'
import { arbitrarySegment, nearlyNormal } from './storage-paths.ts'

const file = new URL('../../../vectors/scope-rules.json', import.meta.url)
const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly paths: readonly { readonly path: string; readonly normal: boolean }[]
}

function isNormal(path: string): boolean {
  return parseNormalPath(path) !== undefined
}

describe('a path that routers read in different ways is refused', () => {
  const refused = paths.filter(({ normal }) => !normal).map(({ path }) => JSON.stringify(path))
  test.each(refused)('%s', (path) => {
    expect(isNormal(JSON.parse(path))).toBe(false)
  })
})

describe('a path that every router reads alike is taken as it is', () => {
  const taken = paths.filter(({ normal }) => normal).map(({ path }) => JSON.stringify(path))
  test.each(taken)('%s', (path) => {
    expect(parseNormalPath(JSON.parse(path))).toBe(JSON.parse(path))
  })
})

describe('a normal path', () => {
  const arbitraryPath = fc.oneof(
    nearlyNormal,
    arbitraryText,
    arbitraryText.map((text) => `/${text}`),
  )

  test('has no segment that is empty or made of dots, and no slash at its end', () => {
    fc.assert(
      fc.property(arbitraryPath, (path) => {
        if (path === '/' || !isNormal(path)) return
        const [before, ...segments] = path.split('/')
        expect(before).toBe('')
        for (const segment of segments) expect(['', '.', '..']).not.toContain(segment)
      }),
      { numRuns: 2000 },
    )
  })

  test('holds nothing but ASCII, and none of the characters after which routers stop or turn', () => {
    fc.assert(
      fc.property(arbitraryPath, (path) => {
        if (isNormal(path)) expect(path).toMatch(/^[\x21-\x7e]+$/)
        if (isNormal(path)) expect(path).not.toMatch(/[\\;?#"<>[\]^`{|}]/)
      }),
      { numRuns: 2000 },
    )
  })

  test('is the same after decoding once, but for letters beyond ASCII and a few signs', () => {
    fc.assert(
      fc.property(arbitraryPath, (path) => {
        if (!isNormal(path)) return
        const decoded = decodeURIComponent(path)
        expect(decoded.split('/')).toHaveLength(path.split('/').length)
        expect(decoded).not.toMatch(/[\\;?#%\u0000-\u001f\u007f]/)
        const plain = (text: string) => text.match(/[A-Za-z0-9._~-]/g)?.join('')
        expect(plain(decoded)).toBe(plain(path.replace(/%[0-9A-Fa-f]{2}/g, '')))
      }),
      { numRuns: 2000 },
    )
  })

  test('is left alone by the URL parser that browsers and Node share', () => {
    fc.assert(
      fc.property(arbitraryPath, (path) => {
        if (isNormal(path)) expect(new URL(`https://cas.example${path}`).pathname).toBe(path)
      }),
      { numRuns: 2000 },
    )
  })

  test('is what segments of harmless characters make', () => {
    fc.assert(
      fc.property(fc.array(arbitrarySegment), (segments) => {
        expect(isNormal(`/${segments.join('/')}`)).toBe(true)
      }),
    )
  })

  test('is not what becomes of one by an empty segment, dots, or an encoded letter', () => {
    const spoiled = fc.constantFrom(
      '',
      '.',
      '..',
      '%2e',
      '%2E%2e',
      '%61',
      '%41',
      '%30',
      'a;b',
      '%2F',
    )
    fc.assert(
      fc.property(fc.array(arbitrarySegment), fc.nat(), spoiled, (segments, at, spoil) => {
        const place = at % (segments.length + 1)
        const path = `/${segments.toSpliced(place, 0, spoil).join('/')}`
        // Nothing but an empty segment is the root.
        expect(isNormal(path)).toBe(path === '/')
      }),
    )
  })
})

/** The path of the token request: which raw targets name one, and what they name. */

import { anyWebPath } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatTokenPath, parseRevision, parseTokenPath, pathOf } from '../src/index.ts'
import { arbitraryRepo, arbitraryRevision, arbitraryScope, arbitraryText } from './arbitraries.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300
const hash = '0123456789abcdef0123456789abcdef01234567'
const bert = { type: 'model', namespace: 'acme', name: 'bert' } as const
const route = '/api/models/acme/bert/storage-read-token'
const everyWord = fc.constantFrom('storage', 'xet')

describe('a path names no token route', () => {
  test.each([
    ['without a revision', route],
    ['with an empty revision', `${route}/`],
    ['with an empty revision before a query', `${route}/?main`],
    ['without a name', '/api/models/acme/storage-read-token/main'],
    ['with a name of two segments', '/api/models/acme/bert/x/storage-read-token/main'],
    ['with an empty namespace', '/api/models//bert/storage-read-token/main'],
    ['with an empty name', '/api/models/acme//storage-read-token/main'],
    ['with the type in the singular', '/api/model/acme/bert/storage-read-token/main'],
    ['with a type that is none', '/api/kernels/acme/bert/storage-read-token/main'],
    ['with the type in capitals', '/api/Models/acme/bert/storage-read-token/main'],
    ['with an encoded letter in a fixed word', '/api/mode%6Cs/acme/bert/storage-read-token/main'],
    ['with another scope', '/api/models/acme/bert/storage-admin-token/main'],
    ['with the scope in capitals', '/api/models/acme/bert/storage-READ-token/main'],
    ['with another word', '/api/models/acme/bert/cas-read-token/main'],
    ['with something in front', `/v1${route}/main`],
    ['with two slashes in front', `/${route}/main`],
    ['with an encoded slash before the revision', `${route}%2Fmain`],
    ['that is relative', `${route.slice(1)}/main`],
    ['that is the target of OPTIONS *', '*'],
    ['that is empty', ''],
    ['of another scheme', `ftp://hub${route}/main`],
    ['whose absolute form has a query for its path', `http://hub?${route}/main`],
  ])('%s', (_, target) => {
    expect(parseTokenPath(target)).toBeUndefined()
  })

  test.each([
    ['an encoding that is none', 'main%ZZ'],
    ['an encoding cut short', 'main%2'],
    ['a lone percent sign', 'main%'],
    ['an overlong slash of two bytes', 'a%C0%AFb'],
    ['an overlong slash of three bytes', 'a%E0%80%AFb'],
    ['an overlong NUL', 'a%C0%80'],
    ['a lone continuation byte', 'a%80'],
    ['half a surrogate pair', 'a%ED%A0%80'],
    ['a character beyond Unicode', 'a%F4%90%80%80'],
    ['a raw space', 'a b'],
    ['a raw tab', 'a\tb'],
    ['a raw line break', 'a\nb'],
    ['a raw DEL', 'a\u007f'],
    ['raw letters outside ASCII', 'é'],
  ])('when the revision cannot be decoded: %s', (_, revision) => {
    expect(parseTokenPath(`${route}/${revision}`)).toBeUndefined()
  })

  test.each(['%ZZ', '%', '%C0%AE', 'a b', 'é'])('when a name cannot be decoded: %s', (name) => {
    expect(parseTokenPath(`/api/models/${name}/bert/storage-read-token/main`)).toBeUndefined()
    expect(parseTokenPath(`/api/models/acme/${name}/storage-read-token/main`)).toBeUndefined()
  })
})

describe('a path names a repository that cannot exist', () => {
  test.each([
    ['a climb', '..'],
    ['an encoded climb', '%2e%2e'],
    ['an encoded slash', 'a%2Fb'],
    ['an encoded slash in small letters', 'a%2fb'],
    ['an encoding of an encoding', 'a%252Fb'],
    ['a NUL', 'a%00'],
    ['an encoded space', 'a%20b'],
    ['97 characters', 'a'.repeat(97)],
    ['300 characters', 'a'.repeat(300)],
    ['a trailing dot', 'a.'],
    ['.git', '.git'],
  ])('by %s', (_, name) => {
    const asNamespace = parseTokenPath(`/api/models/${name}/bert/storage-read-token/main`)
    const asName = parseTokenPath(`/api/models/acme/${name}/storage-read-token/main`)
    expect(asNamespace).toMatchObject({ scope: 'read', revision: parseRevision('main') })
    expect(asNamespace?.repo).toBeUndefined()
    expect(asName).toMatchObject({ scope: 'read' })
    expect(asName?.repo).toBeUndefined()
  })
})

describe('a path names a revision that cannot exist', () => {
  test.each([
    ['a NUL', '%00', '\u0000'],
    ['an encoded space', 'a%20b', 'a b'],
    ['an encoded line break', 'a%0Ab', 'a\nb'],
    ['a trailing slash', 'main/', 'main/'],
    ['a slash more', '/main', '/main'],
    ['a climb', '../x', '../x'],
    ['an encoded climb', '%2e%2e%2fx', '../x'],
    ['HEAD', 'HEAD', 'HEAD'],
    ['None', 'None', 'None'],
    ['@', '%40', '@'],
    ['256 bytes', 'a'.repeat(256), 'a'.repeat(256)],
  ])('by %s', (_, segment, text) => {
    expect(parseTokenPath(`${route}/${segment}`)?.revision).toEqual({ kind: 'impossible', text })
  })
})

describe('a path names its target', () => {
  test.each(['model', 'dataset', 'space'] as const)('with the type %s', (type) => {
    expect(parseTokenPath(`/api/${type}s/acme/bert/storage-read-token/main`)).toEqual({
      word: 'storage',
      repo: { ...bert, type },
      scope: 'read',
      revision: parseRevision('main'),
    })
  })

  test('with the scope write, and with the word of Hugging Face clients', () => {
    expect(parseTokenPath('/api/models/acme/bert/xet-write-token/main')).toMatchObject({
      word: 'xet',
      scope: 'write',
      repo: bert,
    })
  })

  test.each([
    ['refs%2Fpr%2F1', 'refs/pr/1'],
    ['refs/pr/1', 'refs/pr/1'],
    ['refs%2fheads/main', 'refs/heads/main'],
    ['feature%2Fx%231%252F%2B%C3%A9', 'feature/x#1%2F+é'],
    ['feature/x', 'feature/x'],
    ['a%252Fb', 'a%2Fb'],
    ['%6D%61in', 'main'],
    ['storage-read-token/main', 'storage-read-token/main'],
    [hash.toUpperCase(), hash],
    ['!$&()+,;=@x~', '!$&()+,;=@x~'],
  ])('with the revision decoded once: %s', (segment, text) => {
    const revision = parseTokenPath(`${route}/${segment}`)?.revision
    expect(revision).toEqual(
      text.includes('~') ? { kind: 'impossible', text } : parseRevision(text),
    )
  })

  test('with its names decoded once', () => {
    expect(parseTokenPath('/api/models/%61cme/b%65rt/storage-read-token/main')?.repo).toEqual(bert)
  })

  test.each(['?', '?create_pr=1', '?1700000000', '?a?b', '?/../x', '?%ZZ'])(
    'whatever the query: %s',
    (query) => {
      expect(parseTokenPath(`${route}/main${query}`)).toEqual(parseTokenPath(`${route}/main`))
    },
  )

  test.each(['http://hub', 'https://hub:8080', 'HTTP://evil.example', 'http://'])(
    'in the absolute form, whatever the authority: %s',
    (authority) => {
      expect(parseTokenPath(`${authority}${route}/main`)).toEqual(parseTokenPath(`${route}/main`))
      expect(pathOf(`${authority}${route}/main?x`)).toBe(`${route}/main`)
      expect(pathOf(`${authority}/a/?x`)).toBe('/a/')
    },
  )

  test('and an address inside the path is part of it', () => {
    expect(pathOf('/a/http://hub/b')).toBe('/a/http://hub/b')
    expect(pathOf('xhttp://hub/b')).toBe('xhttp://hub/b')
  })
})

describe('writing and reading a token path', () => {
  test('gives the same target back', () => {
    const target = fc.tuple(arbitraryRepo, arbitraryScope, arbitraryRevision, everyWord)
    fc.assert(
      fc.property(target, ([repo, scope, revision, word]) => {
        const path = formatTokenPath(repo, scope, revision, word)
        expect(parseTokenPath(path)).toEqual({
          word,
          repo,
          scope,
          revision: parseRevision(revision),
        })
      }),
      { numRuns: runs },
    )
  })

  test('uses the word of the specification unless told otherwise', () => {
    expect(formatTokenPath(bert, 'write', 'refs/pr/1')).toBe(
      '/api/models/acme/bert/storage-write-token/refs%2Fpr%2F1',
    )
  })

  test('never gives two targets one path', () => {
    const target = fc.tuple(arbitraryRepo, arbitraryScope, arbitraryRevision)
    fc.assert(
      fc.property(target, target, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other))
        expect(formatTokenPath(...one)).not.toBe(formatTokenPath(...other))
      }),
      { numRuns: runs },
    )
  })

  test('depends on nothing behind the path', () => {
    const query = fc.string({ unit: 'grapheme-ascii' })
    fc.assert(
      fc.property(arbitraryRepo, arbitraryScope, arbitraryRevision, query, (...target) => {
        const [repo, scope, revision, behind] = target
        const path = formatTokenPath(repo, scope, revision)
        expect(parseTokenPath(`${path}?${behind}`)).toEqual(parseTokenPath(path))
      }),
      { numRuns: runs },
    )
  })

  test('never throws, whatever is asked for', () => {
    const tail = fc.oneof(arbitraryText, anyWebPath)
    fc.assert(
      fc.property(tail, fc.boolean(), (text, behindRoute) => {
        expect(() => parseTokenPath(behindRoute ? `${route}/${text}` : text)).not.toThrow()
      }),
      { numRuns: runs },
    )
  })
})

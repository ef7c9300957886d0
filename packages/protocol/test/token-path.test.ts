/** The path of the token request: which raw targets name one, and what they name. */

import { readFileSync } from 'node:fs'
import { anyWebPath } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatRepoRef,
  formatTokenPath,
  parseRevision,
  parseTokenPath,
  pathOf,
  type Revision,
  type TokenPath,
} from '../src/index.ts'
import { arbitraryRepo, arbitraryRevision, arbitraryScope, arbitraryText } from './arbitraries.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300
const bert = { type: 'model', namespace: 'acme', name: 'bert' } as const
const route = '/api/models/acme/bert/storage-read-token'
const everyWord = fc.constantFrom('storage', 'xet')

interface PathCase {
  readonly name: string
  readonly target: string
  readonly route: string
  readonly scope: string
  readonly repository: string | null
  readonly revision: Readonly<Record<string, string>>
  readonly error?: string
}

const file = new URL('../../../vectors/paths.json', import.meta.url)
const { cases }: { readonly cases: readonly PathCase[] } = JSON.parse(readFileSync(file, 'utf8'))

/** A path as the vectors write it. */
function written(path: TokenPath | undefined): object {
  if (path === undefined) return { error: 'not_found' }
  const { word, scope, repo, revision } = path
  const repository = repo === undefined ? null : formatRepoRef(repo)
  return { route: word, scope, repository, revision: writtenRevision(revision) }
}

function writtenRevision(revision: Revision): object {
  switch (revision.kind) {
    case 'commit':
      return { commit: revision.hash }
    case 'ref':
      return { ref: revision.name }
    case 'bare':
      return { branch: revision.branch, tag: revision.tag }
    case 'impossible':
      return { impossible: revision.text }
  }
}

describe('a target is read as the vectors say', () => {
  test.each(cases)('$name', ({ name: _, target, ...expected }) => {
    expect(written(parseTokenPath(target))).toEqual(expected)
  })

  test('and the vectors have targets of each kind, each under its own name', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
    expect(cases.filter(({ error }) => error !== undefined).length).toBeGreaterThan(30)
    expect(cases.filter(({ error }) => error === undefined).length).toBeGreaterThan(90)
  })
})

describe('a request line cannot have these targets, and they name no token route', () => {
  test.each([
    ['a raw space', `${route}/a b`],
    ['a raw tab', `${route}/a\tb`],
    ['a raw line break', `${route}/a\nb`],
    ['a raw DEL', `${route}/a\u007f`],
    ['raw letters outside ASCII', `${route}/é`],
    ['a name with raw letters', '/api/models/acme/é/storage-read-token/main'],
    ['a relative path', `${route.slice(1)}/main`],
    ['the target of OPTIONS *', '*'],
    ['nothing', ''],
    ['another scheme', `ftp://hub${route}/main`],
    ['a query in place of a path', `http://hub?${route}/main`],
  ])('%s', (_, target) => {
    expect(parseTokenPath(target)).toBeUndefined()
  })
})

test('an address inside the path is part of it', () => {
  expect(pathOf('/a/http://hub/b')).toBe('/a/http://hub/b')
  expect(pathOf('xhttp://hub/b')).toBe('xhttp://hub/b')
  expect(pathOf('http://hub/a/?x')).toBe('/a/')
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

/** Which scope a storage request wants. */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type NormalPath,
  parseNormalPath,
  type Scope,
  type ScopeRules,
  scopeRules,
  type WriteRule,
} from '../src/index.ts'
import { arbitraryMethod, arbitrarySegment, nearlyNormal } from './storage-paths.ts'

const file = new URL('../../../vectors/scope-rules.json', import.meta.url)
const { scopes } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly scopes: readonly { method: string; path: string; wants: Scope }[]
}

const wanted = scopeRules()
const safe = ['GET', 'HEAD', 'OPTIONS']
const unsafeMethod = arbitraryMethod.filter((method) => !safe.includes(method))
const writeWord = fc.constantFrom('shard', 'shards', 'xorb', 'xorbs', 'xorb-grants', 'shard_index')

const normalPath = fc
  .oneof(
    nearlyNormal,
    fc.array(fc.oneof(arbitrarySegment, writeWord)).map((segments) => `/${segments.join('/')}`),
  )
  .filter((path) => parseNormalPath(path) !== undefined)
  .map(normal)

/** The same letters, each in one case or the other; what is encoded keeps its meaning. */
function recased(path: string): fc.Arbitrary<NormalPath> {
  return fc
    .array(fc.boolean(), { minLength: path.length, maxLength: path.length })
    .map((upper) =>
      normal(
        path.replace(/%[0-9A-Fa-f]{2}|[A-Za-z]/g, (piece, at: number) =>
          upper[at] === true ? piece.toUpperCase() : piece.toLowerCase(),
        ),
      ),
    )
}

const arbitraryRule: fc.Arbitrary<WriteRule> = fc.record({
  methods: fc.oneof(
    fc.constant('unsafe' as const),
    fc.array(fc.constantFrom('GET', 'POST', 'PUT', 'DELETE')),
  ),
  path: fc
    .array(fc.oneof(arbitrarySegment, fc.constantFrom('*', 'v1', 'shard')))
    .chain((segments) =>
      fc.constantFrom(`/${segments.join('/')}`, `/${[...segments, '**'].join('/')}`),
    ),
})

describe('the scope that a request wants', () => {
  const paths = [...new Set(scopes.map(({ path }) => path))]
  test.each(paths)('at %s is as the vectors say, whatever the method', (path) => {
    for (const { method, wants } of scopes.filter((scope) => scope.path === path)) {
      expect(wanted(method, normal(path)), method).toBe(wants)
    }
  })

  test('is read for GET, HEAD and OPTIONS at every path', () => {
    fc.assert(
      fc.property(fc.constantFrom(...safe), normalPath, (method, path) => {
        expect(wanted(method, path)).toBe('read')
      }),
    )
  })

  // conformance: Attacks / 34. An attacker hides a write route behind a prefix
  test('is write for every other method where a segment begins with shard or xorb, at any depth', () => {
    fc.assert(
      fc.property(
        unsafeMethod,
        fc.array(arbitrarySegment, { maxLength: 12 }),
        writeWord.chain(recased),
        fc.array(arbitrarySegment),
        fc.oneof(fc.constant(''), arbitrarySegment),
        (method, before, word, after, rest) => {
          const path = normal(`/${[...before, word + rest, ...after].join('/')}`)
          expect(wanted(method, path)).toBe('write')
          expect(scopeRules({ relaxOtherMethods: true })(method, path)).toBe('write')
        },
      ),
    )
  })

  test('is write for every method but GET, HEAD, OPTIONS and POST at every path', () => {
    fc.assert(
      fc.property(unsafeMethod, normalPath, (method, path) => {
        fc.pre(method !== 'POST')
        expect(wanted(method, path)).toBe('write')
      }),
    )
  })

  test('is the same for every recasing of the path', () => {
    const twice = normalPath.chain((path) => fc.tuple(fc.constant(path), recased(path)))
    fc.assert(
      fc.property(arbitraryMethod, twice, (method, [path, other]) => {
        expect(wanted(method, other)).toBe(wanted(method, path))
      }),
    )
  })
})

describe('the rows of an operator', () => {
  test('never turn write into read', () => {
    fc.assert(
      fc.property(
        arbitraryMethod,
        normalPath,
        fc.array(arbitraryRule),
        fc.boolean(),
        (method, path, write, relaxOtherMethods) => {
          const without = scopeRules({ relaxOtherMethods })(method, path)
          const withRows = scopeRules({ relaxOtherMethods, write })(method, path)
          expect([without, withRows]).not.toEqual(['write', 'read'])
        },
      ),
    )
  })

  test('ask for write wherever one of them fits, in any case', () => {
    fc.assert(
      fc.property(arbitraryRule, unsafeMethod, arbitrarySegment, (rule, method, filling) => {
        const literal = fitting(rule.path, filling)
        fc.pre(parseNormalPath(literal) !== undefined)
        const all = scopeRules({ write: [{ ...rule, methods: 'unsafe' }] })
        expect(all(method, normal(literal.toUpperCase()))).toBe('write')
      }),
    )
  })

  // biome-ignore format: a table is read by its columns
  test.each<[string, ScopeRules, string, string, Scope]>([
    ['a star is one segment',               { write: [row('/v1/locks/*')] },    'POST', '/v1/locks/a',     'write'],
    ['a star is not two segments',          { write: [row('/v1/locks/*')] },    'POST', '/v1/locks/a/b',   'read'],
    ['a star is not none',                  { write: [row('/v1/locks/*')] },    'POST', '/v1/locks',       'read'],
    ['two stars are none',                  { write: [row('/v1/locks/**')] },   'POST', '/v1/locks',       'write'],
    ['two stars are many',                  { write: [row('/v1/locks/**')] },   'POST', '/v1/locks/a/b/c', 'write'],
    ['a row is not a prefix',               { write: [row('/v1/locks')] },      'POST', '/v1/locks/a',     'read'],
    ['a row does not fit elsewhere',        { write: [row('/v1/locks')] },      'POST', '/v2/locks',       'read'],
    ['case is ignored',                     { write: [row('/V1/Locks')] },      'POST', '/v1/lOCKS',       'write'],
    ['unsafe leaves GET alone',             { write: [row('/**')] },            'GET',  '/v1/locks',       'read'],
    ['a row may name GET',                  { write: [row('/a', ['GET'])] },    'GET',  '/a',              'write'],
    ['a row speaks of its methods alone',   { write: [row('/a', ['GET'])] },    'POST', '/a',              'read'],
    ['a method in lower case is its own',   { write: [row('/a', ['POST'])] },   'post', '/a',              'write'],
    ['one row of several suffices',         { write: [row('/x'), row('/a')] },  'POST', '/a',              'write'],
    ['other methods can be relaxed',        { relaxOtherMethods: true },        'PUT',  '/v1/files/a',     'read'],
    ['but not where shards are',            { relaxOtherMethods: true },        'PUT',  '/v1/shards',      'write'],
    ['nor where xorbs are',                 { relaxOtherMethods: true },        'POST', '/v1/XORBS/a/b',   'write'],
    ['and a row still holds',               { relaxOtherMethods: true, write: [row('/a', ['PUT'])] }, 'PUT', '/a', 'write'],
  ])('%s', (_, rules, method, path, wants) => {
    expect(scopeRules(rules)(method, normal(path))).toBe(wants)
  })
})

/** A path that fits a row: every star filled. */
function fitting(path: string, filling: string): string {
  const segments = path.replace(/\/\*\*$/, `/${filling}/${filling}`).split('/')
  return segments.map((segment) => (segment === '*' ? filling : segment)).join('/')
}

function row(path: string, methods: WriteRule['methods'] = 'unsafe'): WriteRule {
  return { path, methods }
}

function normal(path: string): NormalPath {
  return path as NormalPath
}

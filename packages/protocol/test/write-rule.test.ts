import { describe, expect, test } from 'vitest'
import {
  isWriteRule,
  parseNormalPath,
  parseWriteRule,
  scopeRules,
  type WriteRule,
} from '../src/index.ts'

function wants(rule: WriteRule, method: string, path: string): string {
  const normal = parseNormalPath(path)
  if (normal === undefined) throw new Error(`${path} is not normal`)
  return scopeRules({ write: [rule] })(method, normal)
}

describe('a rule as operators write it', () => {
  test('is a method or unsafe, a blank and a path', () => {
    expect(parseWriteRule('POST /v1/locks/*')).toEqual({ methods: ['POST'], path: '/v1/locks/*' })
    expect(parseWriteRule('unsafe /v1/**')).toEqual({ methods: 'unsafe', path: '/v1/**' })
  })

  test.each([
    '',
    '/v1/locks',
    'POST',
    'POST v1/locks',
    'post /v1/locks',
    ' POST /v1/locks',
    'POST /v1/locks ',
    'POST  /v1/locks',
    'POST /v1/locks /v2',
    'GET,POST /v1/locks',
    'UNSAFE2 /v1',
  ])('is not %j', (text) => {
    expect(parseWriteRule(text)).toBeUndefined()
  })

  test.each([
    '/v1//locks',
    '/v1/locks/',
    '/v1/**/locks',
    '/v1/lo*',
    '/v1/***',
    '/v1/**x',
    'v1',
    '',
    '/%73',
  ])('cannot have the path %j, which no request has', (path) => {
    expect(isWriteRule({ methods: 'unsafe', path })).toBe(false)
    expect(parseWriteRule(`unsafe ${path}`)).toBeUndefined()
  })

  test.each(['/v1', '/*', '/**', '/v1/*/locks/*', '/*/**', '/v1/caf%C3%A9'])(
    'can have the path %j',
    (path) => {
      expect(isWriteRule({ methods: 'unsafe', path })).toBe(true)
    },
  )
})

test('a path of thousands of dots is judged in one pass, and a longer one not at all', () => {
  const dots = (count: number) => `/${'.'.repeat(count)}x`
  const path = parseNormalPath(dots(8190))
  expect(parseNormalPath(dots(8191))).toBeUndefined()
  const judge = scopeRules()
  const started = performance.now()
  for (let count = 0; count < 200; count += 1) expect(path && judge('POST', path)).toBe('read')
  // Looking for the end from every dot would take minutes.
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('a rule that no editor has checked is none', () => {
  expect(isWriteRule('POST /v1' as unknown as WriteRule)).toBe(false)
})

// biome-ignore format: a table is read by its columns
test.each([
  ['/v1/locks/**', 'POST', '/v1/locks',         'write'],
  ['/v1/locks/**', 'POST', '/V1/Locks/a/b',     'write'],
  ['/v1/locks/**', 'POST', '/v1/other',         'read'],
  ['/v1/locks/**', 'POST', '/v1',               'read'],
  ['/v1/locks/*',  'POST', '/v1/locks/a',       'write'],
  ['/v1/locks/*',  'POST', '/v1/locks/a/b',     'read'],
  ['/v1/locks/*',  'POST', '/v1/locks',         'read'],
  ['/*/locks',     'POST', '/v9/LOCKS',         'write'],
  ['/*/locks',     'POST', '/v9/lock',          'read'],
  ['/v1/locks/**', 'GET',  '/v1/locks/a',       'read'],
])('an unsafe rule for %s lets %s %s want %s', (path, method, asked, scope) => {
  expect(wants({ methods: 'unsafe', path }, method, asked)).toBe(scope)
})

test('a rule for a method is for that method alone, in whichever case it is written', () => {
  const rule = { methods: ['get'], path: '/v1/secrets' }
  expect(wants(rule, 'GET', '/v1/secrets')).toBe('write')
  expect(wants(rule, 'HEAD', '/v1/secrets')).toBe('read')
})

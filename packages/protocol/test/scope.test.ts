/** spec: Authentication 3. */

import { expect, test } from 'vitest'
import { scopeCovers, scopes } from '../src/index.ts'

// conformance: Authentication / 3. A token is read or write, and write covers read
test('read never covers write', () => {
  expect(scopeCovers('read', 'write')).toBe(false)
})

// conformance: Authentication / 3. A token is read or write, and write covers read
test('write covers read', () => {
  expect(scopeCovers('write', 'read')).toBe(true)
})

test('every scope covers itself', () => {
  expect(scopes.filter((scope) => !scopeCovers(scope, scope))).toEqual([])
})

test('there are two scopes', () => {
  expect(scopes).toEqual(['read', 'write'])
})

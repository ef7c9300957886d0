/** Roles form a line: admin includes write, write includes read. */

import { type Role, roleCovers, roles, strongerRole } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'

const held: readonly (Role | undefined)[] = [undefined, ...roles]

describe('a role', () => {
  test.each([
    ['read', 'write'],
    ['read', 'admin'],
    ['write', 'admin'],
  ] as const)('%s does not cover %s', (one, other) => {
    expect(roleCovers(one, other)).toBe(false)
  })

  test.each(roles)('that is none does not cover %s', (needed) => {
    expect(roleCovers(undefined, needed)).toBe(false)
  })

  test.each([
    ['read', 'read'],
    ['write', 'read'],
    ['write', 'write'],
    ['admin', 'read'],
    ['admin', 'write'],
    ['admin', 'admin'],
  ] as const)('%s covers %s', (one, other) => {
    expect(roleCovers(one, other)).toBe(true)
  })
})

test('there are three roles', () => {
  expect(roles).toEqual(['read', 'write', 'admin'])
})

test('the stronger of two roles counts, whichever comes first', () => {
  for (const [low, weaker] of held.entries()) {
    for (const stronger of held.slice(low)) {
      expect(strongerRole(weaker, stronger)).toBe(stronger)
      expect(strongerRole(stronger, weaker)).toBe(stronger)
    }
  }
})

/** Every step that an operator can ask for, in every state of the keys: taken where it is safe, refused with the reason and the time elsewhere. */

import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import type { KeyFacts } from '../../src/keys/key-state.ts'
import { planRetirement, planRotation } from '../../src/keys/manual-steps.ts'
import { key } from './key-rows.ts'

const now = 1_800_000_000
const at = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

const signing = key({ state: 'signing', since: now - 10_000 })
const early = key({ state: 'published', since: now - 599 })
const ripe = key({ state: 'published', since: now - 600 })
const needed = key({ state: 'retiring', since: now - 1319 })
const over = key({ state: 'retiring', since: now - 1320 })
const head = key({ state: 'signing', since: now - 10_000, kid: 'head', purpose: 'revocations' })

const newAtOnce = { do: 'publish', purpose: 'tokens', alg: 'ES256', activatesAt: undefined }
const newLater = { ...newAtOnce, activatesAt: now + 600 }
const removed = (...kids: string[]) => kids.map((kid) => ({ do: 'remove', kid }))

function rotate(keys: readonly KeyFacts[], compromised: boolean) {
  const asked = { now: unixSeconds(now), compromised, firstAlgorithm: 'ES256' as const }
  return planRotation([...keys, head], 'tokens', asked)
}

function retire(keys: readonly KeyFacts[], kid: string, compromised: boolean) {
  return planRetirement([...keys, head], kid, { now: unixSeconds(now), compromised })
}

// biome-ignore format: a table is read by its columns
const rotations: readonly (readonly [string, readonly KeyFacts[], boolean, readonly object[] | RegExp])[] = [
  ['there is no key',                      [],                        false, [newAtOnce]],
  ['one key signs',                        [signing],                 false, [newLater]],
  ['one signs and one retires',            [needed, signing],         false, [newLater]],
  ['the next waits',                       [signing, early],          false, new RegExp(`must not sign yet.*300 s.*${at(now + 1)}`)],
  ['the next has waited',                  [signing, ripe],           false, [{ do: 'activate', kid: 'published' }]],
  ['none signs and one waits',             [early],                   false, [{ do: 'activate', kid: 'published' }]],
  ['one retires, and nothing else is',     [needed],                  false, [newAtOnce]],
  ['compromised: there is no key',         [],                        true,  [newAtOnce]],
  ['compromised: one key signs',           [signing],                 true,  [newAtOnce, ...removed('signing')]],
  ['compromised: the next waits',          [signing, early],          true,  [newAtOnce, ...removed('signing', 'published')]],
  ['compromised: the next has waited',     [signing, ripe],           true,  [newAtOnce, ...removed('signing', 'published')]],
  ['compromised: one retires as well',     [needed, signing, early],  true,  [newAtOnce, ...removed('retiring', 'signing', 'published')]],
]

// biome-ignore format: a table is read by its columns
const retirements: readonly (readonly [string, readonly KeyFacts[], string, boolean, readonly object[] | RegExp])[] = [
  ['of no key',                                   [signing],          'other',     false, /There is no key other/],
  ['of a published key that waits',               [signing, early],   'published', false, removed('published')],
  ['of a published key that has waited',          [signing, ripe],    'published', false, removed('published')],
  ['of the signing key, which is alone',          [signing],          'signing',   false, /no other key can take its place.*later it may sign/],
  ['of the signing key, whose next waits',        [signing, early],   'signing',   false, new RegExp(`successor published must not sign yet.*${at(now + 1)}`)],
  ['of the signing key, whose next has waited',   [signing, ripe],    'signing',   false, [{ do: 'activate', kid: 'published' }]],
  ['of a retiring key, a second too early',       [needed, signing],  'retiring',  false, new RegExp(`still needed.*900 s.*${at(now + 1)}`)],
  ['of a retiring key, whose wait is over',       [over, signing],    'retiring',  false, removed('retiring')],
  ['of a retiring key beside nothing',            [over],             'retiring',  false, removed('retiring')],
  ['compromised: of no key',                      [signing],          'other',     true,  /There is no key other/],
  ['compromised: of a published key',             [signing, early],   'published', true,  removed('published')],
  ['compromised: of the signing key',             [signing],          'signing',   true,  [newAtOnce, ...removed('signing')]],
  ['compromised: of the signing key with a next', [signing, ripe],    'signing',   true,  [newAtOnce, ...removed('signing', 'published')]],
  ['compromised: of a retiring key',              [needed, signing],  'retiring',  true,  removed('retiring')],
  ['compromised: of a retiring key with a next',  [needed, signing, early], 'retiring', true, removed('retiring', 'published')],
]

describe('an unsafe step is refused with the reason and the time', () => {
  test.each(rotations)('rotate, where %s', (_, keys, compromised, expected) => {
    expectPlan(rotate(keys, compromised), expected)
  })

  test.each(retirements)('retire, %s', (_, keys, kid, compromised, expected) => {
    expectPlan(retire(keys, kid, compromised), expected)
  })
})

test('a longer lifetime that any hub signed with keeps a retiring key for longer', () => {
  const day = key({ state: 'retiring', since: now - 1320, lifetime: 86_400 })
  expectPlan(retire([day, signing], 'retiring', false), new RegExp(at(now - 1320 + 86_400 + 420)))
})

test('keys of the other purpose are never touched', () => {
  const plan = rotate([signing, early], true)
  expect(JSON.stringify(plan)).not.toContain('head')
})

function expectPlan(plan: ReturnType<typeof rotate>, expected: readonly object[] | RegExp): void {
  if (!(expected instanceof RegExp)) {
    expect(plan).toEqual(expected)
    return
  }
  if (!isRefusal(plan)) throw new Error('it was not refused')
  expect(plan.detail).toMatch(expected)
  expect(['conflict', 'resource_not_found']).toContain(plan.code)
}

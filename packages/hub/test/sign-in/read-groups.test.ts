/** What a provider says about the groups of a person, and what it leaves out. */

import { expect, test } from 'vitest'
import { maxGroupLength, maxGroups, readGroups } from '../../src/sign-in/read-groups.ts'

const settings = { groupsClaim: 'groups' }

test.each([
  ['a list', { groups: ['a', 'b', 'a'] }, ['a', 'b']],
  ['an empty list', { groups: [] }, []],
  ['other things in the list', { groups: ['a', 7, null, ['b'], ''] }, ['a']],
  ['no claim', {}, 'missing'],
  ['a text', { groups: 'a' }, 'missing'],
  ['nothing', { groups: null }, 'missing'],
  ['a reference, as Entra sends it', { _claim_names: { groups: 'src1' } }, 'missing'],
  ['a reference beside a list', { groups: ['a'], _claim_names: { groups: 'src1' } }, 'missing'],
  ['a hint to more groups', { groups: ['a'], hasgroups: true }, 'missing'],
  ['a reference for another claim', { groups: ['a'], _claim_names: { roles: 'src1' } }, ['a']],
] as const)('%s', (_, claims, groups) => {
  expect(readGroups(claims, settings)).toEqual(groups)
})

test('a provider without a groups claim says nothing, whatever is in its answer', () => {
  expect(readGroups({ undefined: ['a'] }, { groupsClaim: undefined })).toBe('missing')
  expect(readGroups({}, { groupsClaim: 'constructor' })).toBe('missing')
})

test('names that are too long and names beyond the bound give nothing', () => {
  const long = 'x'.repeat(maxGroupLength)
  expect(readGroups({ groups: [long, `${long}x`] }, settings)).toEqual([long])
  const many = Array.from({ length: maxGroups + 1 }, (_, at) => `g${at}`)
  expect(readGroups({ groups: many }, settings)).toEqual(many.slice(0, maxGroups))
})

import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hash, openDirectory } from './open-directory.ts'

test.each([0, -1, 1001, 'many', 1.5])('a page of %j entries is refused', async (limit) => {
  const { run } = await openDirectory()
  expect(await run('account list', { limit })).toMatchObject({
    code: 'bad_request',
    path: 'limit',
  })
})

test('a list without a limit has at most 100 entries and says where it goes on', async () => {
  const { run, apply } = await openDirectory()
  const accounts = Array.from({ length: 101 }, (_, index) => ({ name: `user${1000 + index}` }))
  await apply({ accounts })
  const page = await run('account list')
  expect(page['items']).toHaveLength(100)
  expect(page).toMatchObject({ total: 101, next: 'user1099' })
  const rest = await run('account list', { after: page['next'] })
  expect(rest).toMatchObject({ items: [{ name: 'user1100' }], total: 101 })
  expect(rest).not.toHaveProperty('next')
})

test.each([
  '',
  'x',
  '-1.',
  '5',
  `5.${'a'.repeat(25)}`,
  `five.${'a'.repeat(26)}`,
  `5.${'a'.repeat(26)}.`,
  `9e9.${'a'.repeat(26)}`,
])('hub tokens after %j are refused, not listed from the start', async (after) => {
  const { run } = await openDirectory()
  expect(await run('hub-token list', { after })).toMatchObject({
    code: 'bad_request',
    path: 'after',
  })
})

test('a list goes on after an entry that is gone', async () => {
  const { run, done, apply } = await openDirectory()
  await apply({ accounts: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })
  const { next } = await run('account list', { limit: 2 })
  await done('account delete', { account: 'b' })
  expect(await run('account list', { after: next })).toMatchObject({ items: [{ name: 'c' }] })
})

const lists = [
  { words: 'account list', input: {} },
  { words: 'namespace list', input: {} },
  { words: 'member list', input: { namespace: 'n0' } },
  { words: 'repo list', input: {} },
  { words: 'repo list', input: { namespace: 'n0' } },
  { words: 'collaborator list', input: { repository: 'models/n0/r0' } },
  { words: 'ref list', input: { repository: 'models/n0/r0' } },
  { words: 'commit list', input: { repository: 'models/n0/r0' } },
  { words: 'ref-rule list', input: { repository: 'models/n0/r0' } },
  { words: 'hub-token list', input: {} },
  { words: 'hub-token list', input: { account: 'a0' } },
]

test('pages of any length hold every entry once, in the same order', async () => {
  const { done, apply } = await openDirectory()
  const some = [0, 1, 2, 3, 4, 5, 6]
  const roles = Object.fromEntries(some.map((n) => [`a${n}`, 'read']))
  await apply({
    accounts: some.map((n) => ({ name: `a${n}` })),
    namespaces: some.map((n) => ({ name: `n${n}`, members: roles })),
    repositories: some.map((n) => ({
      type: 'model',
      id: `n0/r${n}`,
      branches: Object.fromEntries(some.map((n) => [`b${n}`, hash(n)])),
      collaborators: roles,
      refRules: some.map((n) => ({ pattern: `p${n}/*`, write: 'admin' })),
    })),
    hubTokens: some.map((n) => ({ account: 'a0', name: `t${n}`, kind: 'read' })),
  })
  const readAll = async (words: string, input: object, limit: number) => {
    const items: unknown[] = []
    for (let after: unknown; ; ) {
      const page = await done(words, { ...input, limit, ...(after === undefined ? {} : { after }) })
      expect(page['total']).toBe(7)
      items.push(...(page['items'] as unknown[]))
      after = page['next']
      if (after === undefined) return items
    }
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...lists),
      fc.integer({ min: 1, max: 9 }),
      async ({ words, input }, limit) => {
        const whole = await done(words, input)
        expect(await readAll(words, input, limit)).toEqual(whole['items'])
        expect(whole['items']).toHaveLength(7)
      },
    ),
    { numRuns: rounds(25, 200) },
  )
})

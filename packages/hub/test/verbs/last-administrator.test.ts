/** There is always an administrator once there is one, and only the machine can disable the last: by verb, by file and by pruning. */

import { describe, expect, test } from 'vitest'
import { administrator, openDirectory } from './open-directory.ts'

async function withAdministrator() {
  const directory = await openDirectory()
  await directory.done('account create', { name: 'ada', administrator: true })
  await directory.done('account create', { name: 'bob' })
  return directory
}

const ways: readonly (readonly [string, string, object])[] = [
  ['deleted', 'account delete', { account: 'ada' }],
  ['disabled', 'account set', { account: 'ada', disabled: true }],
  ['no administrator any more', 'account set', { account: 'ada', administrator: false }],
  ['disabled by a file', 'apply', { file: { accounts: [{ name: 'ada', disabled: true }] } }],
  [
    'no administrator any more by a file',
    'apply',
    { file: { accounts: [{ name: 'ada', administrator: false }] } },
  ],
  ['pruned', 'apply', { file: { accounts: [{ name: 'bob' }] }, prune: true }],
  [
    'pruned for one who is disabled',
    'apply',
    { file: { accounts: [{ name: 'eve', administrator: true, disabled: true }] }, prune: true },
  ],
]

const disabling = ways.filter(([how]) => how.startsWith('disabled'))

test.each(disabling)('the machine itself can have it %s', async (_, words, input) => {
  const { run, done } = await withAdministrator()
  expect(await run(words, input)).not.toHaveProperty('code')
  await done('account set', { account: 'ada', disabled: false })
})

describe.each(ways)('the last administrator is not %s', (how, words, input) => {
  const actors = ['an administrator', 'the machine'].slice(0, how.startsWith('disabled') ? 1 : 2)

  test.each(actors)('by %s', async (who) => {
    const directory = await withAdministrator()
    if (who !== 'the machine') directory.actor = administrator()
    const before = await directory.everything()
    expect(await directory.run(words, input)).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('"ada" is the last administrator'),
    })
    expect(await directory.everything()).toEqual(before)
  })

  test('but goes once there is another', async () => {
    const { done, run } = await withAdministrator()
    await done('account set', { account: 'bob', administrator: true })
    const isLost = words === 'apply' && JSON.stringify(input).includes('eve')
    expect('code' in (await run(words, input))).toBe(isLost)
  })

  test('and a disabled one does not count', async () => {
    const directory = await withAdministrator()
    const { done, run } = directory
    directory.actor = administrator()
    await done('account set', { account: 'bob', administrator: true, disabled: true })
    expect(await run(words, input)).toMatchObject({ code: 'conflict' })
  })
})

test('a file may replace the last administrator by another', async () => {
  const { run } = await withAdministrator()
  const file = { accounts: [{ name: 'eve', administrator: true }] }
  expect(await run('apply', { file, prune: true })).not.toHaveProperty('code')
})

test('a directory that never had one needs none', async () => {
  const { done, run } = await openDirectory()
  await done('account create', { name: 'bob' })
  expect(await run('account delete', { account: 'bob' })).toEqual({ deleted: 'bob' })
})

describe.each(ways.filter((way) => !disabling.includes(way) && !way[0].includes('for one')))(
  'the last administrator is not %s by the machine that has disabled it',
  (_, words, input) => {
    test('and it can be enabled again', async () => {
      const { run, done, everything } = await withAdministrator()
      await done('account set', { account: 'ada', disabled: true })
      const before = await everything()
      expect(await run(words, input)).toMatchObject({
        code: 'conflict',
        detail: expect.stringContaining('"ada" is the last administrator,'),
      })
      expect(await everything()).toEqual(before)
      await done('account set', { account: 'ada', disabled: false })
    })

    test('but goes once there is another, disabled or not', async () => {
      const { run, done } = await withAdministrator()
      await done('account set', { account: 'bob', administrator: true, disabled: true })
      await done('account set', { account: 'ada', disabled: true })
      expect(await run(words, input)).not.toHaveProperty('code')
    })
  },
)

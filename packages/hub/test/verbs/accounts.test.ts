import { expect, test } from 'vitest'
import { openDirectory, start } from './open-directory.ts'

test('two accounts cannot differ by case alone', async () => {
  const { run, done } = await openDirectory()
  await done('account create', { name: 'Ada' })
  expect(await run('account create', { name: 'ada' })).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('"Ada"'),
  })
})

test.each(['', '.ada', 'ada-', 'a/b', 'ada.git', 'ä', 'x'.repeat(97)])(
  'an account cannot be called %j',
  async (name) => {
    const { run } = await openDirectory()
    expect(await run('account create', { name })).toMatchObject({
      code: 'bad_request',
      path: 'name',
      detail: expect.stringContaining('must be a name'),
    })
  },
)

test('names are matched exactly', async () => {
  const { run, done } = await openDirectory()
  await done('account create', { name: 'Ada' })
  for (const words of ['account show', 'account set', 'account delete']) {
    expect(await run(words, { account: 'ada' })).toMatchObject({ code: 'resource_not_found' })
  }
})

test('a member that is not known is refused with its name', async () => {
  const { run } = await openDirectory()
  expect(await run('account create', { name: 'ada', admin: true })).toMatchObject({
    code: 'bad_request',
    path: 'admin',
  })
})

test('a new account is an enabled user and no administrator', async () => {
  const { run } = await openDirectory()
  expect(await run('account create', { name: 'ada' })).toEqual({
    id: expect.stringMatching(/^[a-z2-7]{26}$/),
    name: 'ada',
    kind: 'user',
    administrator: false,
    disabled: false,
    createdAt: new Date(start * 1000).toISOString().replace('.000', ''),
  })
})

test('a change leaves what it does not name', async () => {
  const { run, done } = await openDirectory()
  await done('account create', { name: 'root', administrator: true })
  await done('account create', { name: 'bot', kind: 'service', administrator: true })
  expect(await run('account set', { account: 'bot', disabled: true })).toMatchObject({
    kind: 'service',
    administrator: true,
    disabled: true,
  })
  expect(await run('account show', { account: 'bot' })).toMatchObject({ disabled: true })
})

test('a deleted account takes its memberships and hub tokens with it', async () => {
  const { run, done } = await openDirectory()
  await done('account create', { name: 'ada' })
  await done('namespace create', { name: 'acme' })
  await done('member set', { namespace: 'acme', account: 'ada', role: 'admin' })
  await done('hub-token create', { account: 'ada', name: 'laptop', kind: 'read' })
  expect(await run('account delete', { account: 'ada' })).toEqual({ deleted: 'ada' })
  expect(await run('member list', { namespace: 'acme' })).toEqual({ items: [], total: 0 })
  expect(await run('hub-token list', { state: 'all' })).toEqual({ items: [], total: 0 })
})

test('an account made again is another one', async () => {
  const { done } = await openDirectory()
  const first = await done('account create', { name: 'ada' })
  await done('account delete', { account: 'ada' })
  const second = await done('account create', { name: 'ada' })
  expect(second['id']).not.toBe(first['id'])
})

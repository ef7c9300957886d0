import { expect, test } from 'vitest'
import { openDirectory } from './open-directory.ts'

test('a namespace with repositories cannot be deleted, and the refusal counts them', async () => {
  const { run, done } = await openDirectory()
  await done('namespace create', { name: 'acme' })
  await done('repo create', { repository: 'models/acme/bert' })
  await done('repo create', { repository: 'datasets/acme/bert' })
  expect(await run('namespace delete', { namespace: 'acme' })).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('2 repositories'),
  })
  await done('repo delete', { repository: 'models/acme/bert' })
  await done('repo delete', { repository: 'datasets/acme/bert' })
  expect(await run('namespace delete', { namespace: 'acme' })).toEqual({ deleted: 'acme' })
})

test('two namespaces cannot differ by case alone', async () => {
  const { run, done } = await openDirectory()
  await done('namespace create', { name: 'acme' })
  expect(await run('namespace create', { name: 'ACME' })).toMatchObject({ code: 'conflict' })
})

test('a member needs a namespace and an account that exist', async () => {
  const { run, done } = await openDirectory()
  await done('namespace create', { name: 'acme' })
  await done('account create', { name: 'ada' })
  const role = 'read'
  for (const named of [
    { namespace: 'other', account: 'ada' },
    { namespace: 'acme', account: 'bob' },
  ]) {
    expect(await run('member set', { ...named, role })).toMatchObject({
      code: 'resource_not_found',
    })
    expect(await run('member delete', named)).toMatchObject({ code: 'resource_not_found' })
  }
})

test('a role is read, write or admin', async () => {
  const { run } = await openDirectory()
  expect(
    await run('member set', { namespace: 'acme', account: 'ada', role: 'owner' }),
  ).toMatchObject({ code: 'bad_request', path: 'role', detail: expect.stringContaining('read') })
})

test('a membership that is not there cannot be ended', async () => {
  const { run, done } = await openDirectory()
  await done('namespace create', { name: 'acme' })
  await done('account create', { name: 'ada' })
  expect(await run('member delete', { namespace: 'acme', account: 'ada' })).toMatchObject({
    code: 'resource_not_found',
  })
})

test('setting a member again replaces the role', async () => {
  const { run, done } = await openDirectory()
  await done('namespace create', { name: 'acme' })
  await done('account create', { name: 'ada' })
  await done('member set', { namespace: 'acme', account: 'ada', role: 'read' })
  await done('member set', { namespace: 'acme', account: 'ada', role: 'admin' })
  expect(await run('member list', { namespace: 'acme' })).toEqual({
    items: [{ namespace: 'acme', account: 'ada', role: 'admin' }],
    total: 1,
  })
  expect(await run('member delete', { namespace: 'acme', account: 'ada' })).toEqual({
    deleted: 'ada',
  })
})

import { expect, test } from 'vitest'
import { hash, openDirectory, start } from './open-directory.ts'

const repository = 'models/acme/bert'

async function withRepository() {
  const directory = await openDirectory()
  await directory.apply({
    accounts: [{ name: 'ada' }, { name: 'bob' }, { name: 'eve', disabled: true }],
    namespaces: [{ name: 'acme', members: { ada: 'write', bob: 'read' } }],
    repositories: [{ type: 'model', id: 'acme/bert', branches: { main: hash(1), dev: hash(2) } }],
    hubTokens: [
      { account: 'ada', name: 'read', kind: 'read' },
      {
        account: 'ada',
        name: 'dev',
        kind: 'fine-grained',
        grants: [{ on: repository, contents: 'write', refs: ['dev'] }],
        expiresAt: '2027-02-01T00:00:00Z',
      },
    ],
  })
  const { items } = await directory.done('hub-token list')
  const idOf = (name: string) =>
    (items as { name: string; id: string }[]).find((token) => token.name === name)?.id
  return { ...directory, directory, idOf }
}

const ask = { scope: 'write', repository, revision: 'main', account: 'ada' }

test('who is asked about must exist', async () => {
  const { run, idOf } = await withRepository()
  expect(await run('explain', { ...ask, account: 'nobody' })).toMatchObject({
    code: 'resource_not_found',
  })
  expect(await run('explain', { ...ask, hubToken: 'a'.repeat(26) })).toMatchObject({
    code: 'resource_not_found',
  })
  expect(await run('explain', { ...ask, account: 'bob', hubToken: idOf('read') })).toMatchObject({
    code: 'resource_not_found',
  })
})

test('a refusal is an answer with its code and the step that failed', async () => {
  const { run } = await withRepository()
  const answer = await run('explain', { ...ask, account: 'bob' })
  expect(answer).toMatchObject({ allowed: false, code: 'permission_denied' })
  const steps = answer['steps'] as { passed: boolean }[]
  expect(steps.at(-1)).toMatchObject({ passed: false })
  expect(steps.slice(0, -1).every(({ passed }) => passed)).toBe(true)
})

test.each([
  [{ repository: 'models/acme/absent' }, 'repository_not_found'],
  [{ revision: 'absent' }, 'revision_not_found'],
  [{ account: 'eve' }, 'hub_token_invalid'],
])('asking %j explains %s', async (change, code) => {
  const { run } = await withRepository()
  expect(await run('explain', { ...ask, ...change })).toMatchObject({ allowed: false, code })
})

test('a hub token that is revoked or expired is explained with the reason', async () => {
  const { directory, run, done, idOf } = await withRepository()
  await done('hub-token revoke', { hubToken: idOf('read') })
  directory.now = (start + 90 * 86_400) as typeof directory.now
  for (const [name, reason] of [
    ['read', 'revoked'],
    ['dev', 'expired'],
  ] as const) {
    expect(await run('explain', { ...ask, hubToken: idOf(name) })).toMatchObject({
      allowed: false,
      code: 'hub_token_invalid',
      steps: [{ step: 'hub token', passed: false, detail: expect.stringContaining(reason) }],
    })
  }
})

test('a hub token is judged by what it carries', async () => {
  const { run, idOf } = await withRepository()
  expect(await run('explain', { ...ask, hubToken: idOf('read') })).toMatchObject({
    allowed: false,
  })
  const narrow = { ...ask, hubToken: idOf('dev') }
  expect(await run('explain', narrow)).toMatchObject({ allowed: false })
  expect(await run('explain', { ...narrow, revision: 'dev' })).toMatchObject({ allowed: true })
})

test('without a hub token the account is judged as if by a write token', async () => {
  const { run } = await withRepository()
  expect(await run('explain', ask)).toMatchObject({
    allowed: true,
    detail: expect.stringContaining(`${repository}@refs/heads/main`),
  })
})

test('without a revision the default branch is meant', async () => {
  const { run } = await withRepository()
  const { revision, ...rest } = ask
  expect(await run('explain', rest)).toMatchObject({ allowed: true })
})

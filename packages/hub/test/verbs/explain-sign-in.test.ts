/** `explain sign-in`: the same conditions, accounts and freshness as a sign-in itself, without one. */

import { beforeEach, expect, test } from 'vitest'
import { type Opened, openDirectory, start } from './open-directory.ts'

const issuer = 'https://login.example'
const corp = {
  ...{ name: 'corp', issuer, nameClaim: 'preferred_username', groupsClaim: 'groups' },
  ...{ groups: ['models'], claims: { hd: 'example.com', verified: true } },
}
const good = {
  ...{ iss: issuer, sub: 'ada-1', preferred_username: 'ada', groups: ['models'] },
  ...{ hd: 'example.com', verified: true, auth_time: start - 60 },
}

let directory: Opened
beforeEach(async () => {
  directory = await openDirectory()
  directory.providers = [corp]
})

interface Explained {
  readonly allowed: boolean
  readonly detail: string
  readonly steps: readonly { readonly step: string; readonly passed: boolean }[]
}

async function explain(claims: object): Promise<Explained> {
  const payload = JSON.stringify(claims)
  const answer: unknown = await directory.done('explain sign-in', { provider: 'corp', payload })
  return answer as Explained
}

const failed = ({ steps }: Explained) =>
  steps.filter(({ passed }) => !passed).map(({ step }) => step)

test('a new person would get an account, and nothing is made', async () => {
  const before = await directory.everything()
  const explained = await explain(good)
  expect([explained.allowed, failed(explained)]).toEqual([true, []])
  expect(explained.detail).toContain('would make the account "ada"')
  expect(await directory.everything()).toEqual(before)
})

test.each<readonly [string, object, string, string]>([
  ['the issuer of another provider', { iss: 'https://evil.example' }, 'issuer', 'evil.example'],
  ['another value of a claim', { hd: 'evil.example' }, 'condition', 'the claim hd'],
  ['a text instead of true', { verified: 'true' }, 'condition', 'the claim verified'],
  ['no allowed group', { groups: ['staff'] }, 'condition', 'none of the groups'],
  ['groups that are no list', { groups: 'models' }, 'condition', 'no list of groups'],
  ['no subject', { sub: undefined }, 'account', 'no sub'],
  ['a name that no account can have', { preferred_username: 'a b' }, 'account', 'no name'],
])('%s would be refused', async (_, change, step, reason) => {
  const explained = await explain({ ...good, ...change })
  expect([explained.allowed, failed(explained)]).toEqual([false, [step]])
  expect(explained.detail).toContain(reason)
})

test('names the account of a linked identity, a name that is taken, and a disabled account', async () => {
  await directory.done('account create', { name: 'Ada' })
  expect((await explain(good)).detail).toContain('the name "ada" is taken')
  const identity = { issuer, subject: 'ada-1', provider: 'corp' }
  await directory.done('account link', { account: 'Ada', ...identity })
  expect(await explain(good)).toMatchObject({
    allowed: true,
    detail: expect.stringContaining('"Ada"'),
  })
  await directory.done('account set', { account: 'Ada', disabled: true })
  expect((await explain(good)).detail).toContain('is disabled')
})

test.each([
  ['fresh for 15 minutes after the provider asked the person', start - 899, true],
  ['not fresh later', start - 900, false],
  ['not fresh by a time in the future', start + 61, false],
  ['not fresh without auth_time', undefined, false],
])('a session would be %s', async (_, auth_time, isFresh) => {
  const explained = await explain({ ...good, auth_time })
  expect([explained.allowed, failed(explained)]).toEqual([true, isFresh ? [] : ['fresh']])
})

test('a provider that the configuration does not have is named, with those that it has', async () => {
  const answer = await directory.run('explain sign-in', { provider: 'other', payload: '{}' })
  expect(answer).toMatchObject({
    code: 'resource_not_found',
    detail: expect.stringMatching(/corp/),
  })
})

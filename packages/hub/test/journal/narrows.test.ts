/** Which changes say that somebody may do less after them: each verb after the same preparation. */

import { isRefusal } from '@latchkey/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pretendedToken } from '../revocation/pretended-token.ts'
import { hash, type Opened, openDirectory } from '../verbs/open-directory.ts'

const repository = 'models/acme/bert'
const grants = [{ on: 'acme/*', contents: 'write' }]

const prepared = {
  accounts: [
    { name: 'root', administrator: true },
    { name: 'other-root', administrator: true },
    { name: 'ada' },
    { name: 'off', disabled: true },
  ],
  namespaces: [
    {
      name: 'acme',
      members: { ada: 'write' },
      teams: {
        curators: { role: 'write', members: { ada: {}, root: { until: '2030-01-01T00:00:00Z' } } },
        empty: {},
      },
    },
    { name: 'empty' },
  ],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      branches: { main: hash(1), dev: hash(2) },
      tags: { v1: hash(1) },
      collaborators: { ada: 'write' },
      teams: { curators: 'write' },
      refRules: [
        { pattern: 'release/*', write: 'write' },
        { pattern: '**', write: 'admin' },
      ],
    },
    { type: 'model', id: 'acme/open', visibility: 'public' },
  ],
  hubTokens: [
    { account: 'ada', name: 'fine', kind: 'fine-grained', grants },
    { account: 'ada', name: 'ending', kind: 'write', expiresAt: '2030-01-01T00:00:00Z' },
    { account: 'root', name: 'admin', kind: 'admin' },
  ],
}

type Case = readonly [words: string, input: object]

const narrowing: readonly Case[] = [
  ['account set', { account: 'ada', disabled: true }],
  ['account set', { account: 'root', administrator: false }],
  ['account delete', { account: 'ada' }],
  ['namespace delete', { namespace: 'empty' }],
  ['member set', { namespace: 'acme', account: 'ada', role: 'read' }],
  ['member delete', { namespace: 'acme', account: 'ada' }],
  ['team set', { namespace: 'acme', team: 'curators', role: 'read' }],
  ['team set', { namespace: 'acme', team: 'curators', role: 'none' }],
  ['team delete', { namespace: 'acme', team: 'curators' }],
  [
    'team-member set',
    { namespace: 'acme', team: 'curators', account: 'ada', until: '2099-01-01T00:00:00Z' },
  ],
  [
    'team-member set',
    { namespace: 'acme', team: 'curators', account: 'root', until: '2029-01-01T00:00:00Z' },
  ],
  ['team-member delete', { namespace: 'acme', team: 'curators', account: 'ada' }],
  ['team-role set', { repository, team: 'curators', role: 'read' }],
  ['team-role delete', { repository, team: 'curators' }],
  ['repo set', { repository: 'models/acme/open', visibility: 'private' }],
  ['repo delete', { repository }],
  ['collaborator set', { repository, account: 'ada', role: 'read' }],
  ['collaborator delete', { repository, account: 'ada' }],
  ['ref-rule set', { repository, pattern: 'main', write: 'admin' }],
  ['ref-rule set', { repository, pattern: 'release/*', write: 'admin' }],
  ['ref-rule delete', { repository, pattern: 'release/*' }],
  ['ref delete', { repository, ref: 'dev' }],
  ['ref set', { repository, ref: 'refs/tags/v1', commit: hash(2) }],
  ['commit record', { repository, hash: hash(1), on: ['dev'] }],
  ['hub-token revoke', { hubToken: 'fine' }],
  ['revoke token', { token: pretendedToken() }],
  ['revoke hub-token', { hubToken: 'fine' }],
  ['revoke account', { account: 'ada' }],
  ['revoke repository', { repository }],
  ['revoke ref', { repository, ref: 'dev' }],
  ['hub-token set', { hubToken: 'fine', grants: [{ on: repository, contents: 'read' }] }],
  ['hub-token set', { hubToken: 'ending', expiresAt: '2029-01-01T00:00:00Z' }],
  ['hub-token set', { hubToken: 'admin', adminScopes: ['account'] }],
]

const others: readonly Case[] = [
  ['account create', { name: 'new' }],
  ['account set', { account: 'off', disabled: false }],
  ['account set', { account: 'ada', kind: 'service' }],
  ['account set', { account: 'ada', administrator: true }],
  ['namespace create', { name: 'new' }],
  ['member set', { namespace: 'acme', account: 'ada', role: 'admin' }],
  ['member set', { namespace: 'acme', account: 'root', role: 'read' }],
  ['team create', { namespace: 'acme', team: 'new', role: 'admin' }],
  ['team set', { namespace: 'acme', team: 'curators', role: 'admin' }],
  ['team set', { namespace: 'acme', team: 'empty', role: 'read' }],
  ['team-member set', { namespace: 'acme', team: 'curators', account: 'off' }],
  ['team-member set', { namespace: 'acme', team: 'curators', account: 'root' }],
  ['team-role set', { repository, team: 'curators', role: 'admin' }],
  ['team-role set', { repository, team: 'empty', role: 'admin' }],
  ['repo create', { repository: 'models/acme/new' }],
  ['repo set', { repository, visibility: 'public' }],
  ['repo set', { repository, defaultBranch: 'dev' }],
  ['collaborator set', { repository, account: 'ada', role: 'admin' }],
  ['ref-rule set', { repository, pattern: 'main', write: 'write' }],
  ['ref-rule delete', { repository, pattern: '**' }],
  ['ref set', { repository, ref: 'new', commit: hash(3) }],
  ['ref set', { repository, ref: 'main', commit: hash(3) }],
  ['commit record', { repository, hash: hash(4), on: ['dev'] }],
  ['hub-token create', { account: 'ada', name: 'new', kind: 'read' }],
  ['hub-token set', { hubToken: 'ending', expiresAt: 'never' }],
  ['hub-token set', { hubToken: 'fine', grants: [...grants, { on: 'other/*', contents: 'read' }] }],
  ['hub-token set', { hubToken: 'fine', grants: [{ on: '*', contents: 'write' }] }],
]

describe('an entry', () => {
  test.each(narrowing)('narrows: %s %j', async (words, input) => {
    expect(await narrowsAfter(words, input)).toContain(true)
  })

  test.each(others)('does not narrow: %s %j', async (words, input) => {
    expect(await narrowsAfter(words, input)).not.toContain(true)
  })
})

let opened: Opened
beforeAll(async () => {
  opened = await openDirectory({}, afterAll)
  await opened.apply(prepared)
})

const undone = new Error('undone')

/** What the entries of one verb say. Its transaction is rolled back, so that the next verb finds the same preparation. */
async function narrowsAfter(words: string, input: object): Promise<readonly boolean[]> {
  const { directory } = opened.store
  const found: boolean[] = []
  const undoing: typeof directory = {
    ...directory,
    change: (work) =>
      directory.change(async (transaction) => {
        const { tables, number } = transaction
        const result = await work(transaction)
        if (isRefusal(result)) return result
        const entries = tables.selectFrom('journal').where('number', '>=', number)
        const rows = await entries.select('narrows').execute()
        found.push(...rows.map(({ narrows }) => Boolean(narrows)))
        throw undone
      }),
  }
  await expect(opened.runOn(undoing, words, await withId(opened, input))).rejects.toBe(undone)
  expect(found).not.toHaveLength(0)
  return found
}

/** Hub tokens are named by their id, which differs from run to run. */
async function withId({ done }: Opened, input: { hubToken?: string }): Promise<object> {
  if (input.hubToken === undefined) return input
  const { items } = (await done('hub-token list', {})) as {
    items: readonly { id: string; name: string }[]
  }
  return { ...input, hubToken: items.find(({ name }) => name === input.hubToken)?.id }
}

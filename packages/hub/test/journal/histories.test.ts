/** The journal tells every change of the directory, and nothing that did not happen. */

import { join } from 'node:path'
import { verbs } from '@latchkey/admin-api'
import { noCommit } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { rounds } from '@latchkey/testing/chance'
import { dump } from '@latchkey/testing/hub/dump'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import { pretendedToken } from '../revocation/pretended-token.ts'
import { arbitraryHistory, inputs } from './arbitrary-steps.ts'
import { beginning } from './beginning.ts'
import { proveHistory } from './history.ts'
import type { Step } from './steps.ts'

const numRuns = rounds(4, 300)
const seconds = 1000
const changing = verbs.flatMap(({ words, method }) => (method === 'GET' ? [] : [words]))
const repository = 'models/acme/bert'

const push = [
  { ref: 'refs/heads/main', old: commit('4'), new: commit('6') },
  { ref: 'refs/heads/empty', old: commit('3'), new: noCommit },
  { ref: 'refs/tags/v1', old: commit('2'), new: commit('6') },
  { ref: 'refs/tags/v2', old: noCommit, new: commit('6') },
]

const identity = { issuer: 'https://login.example', subject: 'cyd-1' }
const publisher = { repository, publisher: 'ci' }
const job = { contents: 'write', claims: ['sub=job'], refs: ['main'] }

/** Each verb once with something to do, in an order in which it can. */
const everyVerb: readonly (readonly [words: string, input: object])[] = [
  ['account create', { name: 'cyd' }],
  ['account set', { account: 'cyd', administrator: true }],
  ['account link', { account: 'cyd', provider: 'corp', ...identity }],
  ['account unlink', { account: 'cyd', ...identity }],
  ['namespace create', { name: 'gamma' }],
  ['namespace set', { namespace: 'gamma', storage: 'default', quota: '500GB' }],
  ['member set', { namespace: 'gamma', account: 'cyd', role: 'read' }],
  ['member set', { namespace: 'gamma', account: 'cyd', role: 'admin' }],
  ['member delete', { namespace: 'acme', account: 'ada' }],
  ['team create', { namespace: 'acme', team: 'readers', role: 'read' }],
  ['team set', { namespace: 'acme', team: 'readers', role: 'none' }],
  ['team set', { namespace: 'acme', team: 'readers', role: 'write' }],
  ['team-member set', { namespace: 'acme', team: 'readers', account: 'cyd' }],
  [
    'team-member set',
    { namespace: 'acme', team: 'readers', account: 'cyd', until: '2099-01-01T00:00:00Z' },
  ],
  ['team-role set', { repository, team: 'readers', role: 'write' }],
  ['team-role set', { repository, team: 'readers', role: 'admin' }],
  ['team-role delete', { repository, team: 'readers' }],
  ['team-member delete', { namespace: 'acme', team: 'readers', account: 'cyd' }],
  ['team-group set', { namespace: 'acme', team: 'readers', provider: 'corp', group: '/a/b' }],
  ['team-group delete', { namespace: 'acme', team: 'readers', provider: 'corp', group: '/a/b' }],
  ['team delete', { namespace: 'acme', team: 'readers' }],
  ['repo create', { repository: 'spaces/gamma/demo' }],
  ['repo set', { repository, visibility: 'public', defaultBranch: 'trunk', quota: '50GB' }],
  ['collaborator set', { repository, account: 'cyd', role: 'write' }],
  ['collaborator delete', { repository, account: 'bob' }],
  ['ref-rule set', { repository, pattern: 'release/*', write: 'admin' }],
  ['ref-rule delete', { repository, pattern: 'main' }],
  ['publisher create', { ...publisher, preset: 'other', issuer: 'https://ci.example', ...job }],
  ['publisher set', { ...publisher, contents: 'read' }],
  ['publisher delete', publisher],
  ['ref set', { repository, ref: 'release/1', from: 'dev' }],
  ['ref set', { repository, ref: 'refs/pr/1', commit: commit('3') }],
  ['ref set', { repository, ref: 'empty' }],
  ['ref set', { repository, ref: 'empty', commit: commit('3'), expect: noCommit }],
  ['ref set', { repository, ref: 'main', commit: commit('4') }],
  ['ref set', { repository, ref: 'refs/tags/v1', commit: commit('2') }],
  ['ref update', { repository, updates: push }],
  ['commit record', { repository, hash: commit('5'), on: ['main', 'refs/pr/1'] }],
  ['commit record', { repository, hash: commit('1'), on: ['dev'] }],
  ['hub-token create', { account: 'cyd', name: 'laptop', kind: 'read' }],
  ['hub-token set', { hubToken: 0, expiresAt: '2090-01-01T00:00:00Z' }],
  ['hub-token revoke', { hubToken: 1 }],
  ['forge adopt', { forge: 'a'.repeat(26) }],
  ['forge adopt', { forge: 'b'.repeat(26) }],
  ['keys rotate', {}],
  ['keys rotate', { compromised: true }],
  ['keys rotate', {}],
  ['keys retire', { kid: 0, compromised: true }],
  ['revoke token', { token: pretendedToken() }],
  ['revoke hub-token', { hubToken: 2 }],
  ['revoke account', { account: 'cyd' }],
  ['revoke repository', { repository }],
  ['revoke ref', { repository, ref: 'dev' }],
  ['ref delete', { repository, ref: 'dev' }],
  ['account delete', { account: 'cyd' }],
  ['repo move-storage', { repository, to: 'eu', step: 'close' }],
  ['repo move-storage', { repository, to: 'eu', step: 'cancel' }],
  ['repo delete', { repository: 'spaces/gamma/demo' }],
  ['namespace delete', { namespace: 'gamma' }],
  [
    'apply',
    { file: { accounts: [{ name: 'bob', administrator: true }], repositories: [] }, prune: true },
  ],
]

// conformance: Guarantees / The journal has an entry for every change
test(
  `on ${numRuns} random histories the entries add up to the tables after every step`,
  () =>
    fc.assert(
      fc.asyncProperty(arbitraryHistory, async (steps) => {
        await proveHistory(steps)
      }),
      { numRuns },
    ),
  numRuns * 20 * seconds,
)

test('the random histories have every verb that changes something', () => {
  expect(Object.keys(inputs)).toEqual(changing)
})

test('every verb that changes something has an entry that says so', async () => {
  const steps = everyVerb.map(([words, input]): Step => ({ do: 'verb', words, input }))
  const ending: readonly Step[] = [
    { do: 'sign in', nth: 0 },
    { do: 'verb', words: 'identity end', input: { provider: 'corp' } },
  ]
  const { left, outcomes } = await proveHistory([beginning, ...steps, ...ending])
  expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual([])
  const told = new Set(left['journal']?.map(({ verb }) => verb))
  expect(changing.filter((words) => !told.has(words))).toEqual([])
})

const link = { account: 'bob', provider: 'corp', issuer: 'https://login.example', subject: 'one' }
const team = { namespace: 'acme', team: 'curators', provider: 'corp' }
const vouched = (...groups: string[]): Step => ({ do: 'vouch', subject: 'one', groups })
const ofVerb = (words: string, input: object): Step => ({ do: 'verb', words, input })

const ofProvider: readonly Step[] = [
  ofVerb('account link', link),
  vouched('staff'),
  ofVerb('team-group set', { ...team, group: '/a/b' }),
  { do: 'move clock', milliseconds: 60_000 },
  vouched('staff', '/a/b'),
  vouched('/a/b'),
  // So long that the membership has ended.
  { do: 'move clock', milliseconds: 4_000_000 },
  vouched('/a/b'),
  ofVerb('team-group delete', { ...team, group: '/a/b' }),
  vouched('staff'),
  ofVerb('account unlink', { account: 'bob', issuer: link.issuer, subject: link.subject }),
  ofVerb('account link', link),
  vouched('staff'),
  ofVerb('team delete', { namespace: 'acme', team: 'curators' }),
]

test('a membership from a provider has entries when it begins and ends, and none for a renewal', async () => {
  const { left } = await proveHistory([beginning, ...ofProvider])
  const did = left['journal']?.filter(({ thing }) => thing === 'group-member')
  expect(did?.map((entry) => entry['did'])).toEqual([
    ...['created', 'created', 'deleted', 'changed', 'created', 'created'],
  ])
})

/** What the beginning has made already. */
const nothingNew: readonly (readonly [words: string, input: object])[] = [
  ['account set', { account: 'ada', administrator: true }],
  ['member set', { namespace: 'acme', account: 'ada', role: 'admin' }],
  ['repo set', { repository, visibility: 'private' }],
  ['collaborator set', { repository, account: 'bob', role: 'write' }],
  ['ref-rule set', { repository, pattern: 'main', write: 'admin' }],
  ['ref set', { repository, ref: 'main', commit: commit('1') }],
  ['ref set', { repository, ref: 'dev', from: 'main', expect: commit('2') }],
  ['ref set', { repository, ref: 'refs/tags/v1', commit: commit('1') }],
  ['commit record', { repository, hash: commit('2'), on: ['dev'] }],
  ['hub-token set', { hubToken: 0, expiresAt: 'never' }],
]

test('a verb that finds everything as it should be leaves no entry', async () => {
  const steps = nothingNew.map(([words, input]): Step => ({ do: 'verb', words, input }))
  const { left, outcomes } = await proveHistory([beginning, beginning, ...steps])
  expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual([])
  const verbsTold = new Set(left['journal']?.map(({ verb }) => verb))
  expect([...verbsTold]).toEqual(['migrate', 'apply'])
  expect(left['journal']).toHaveLength(
    (await proveHistory([beginning])).left['journal']?.length ?? 0,
  )
})

test('a copy that is put back gives no number a second time, and the lost entries are gone', async () => {
  const create = (name: string): Step => ({ do: 'verb', words: 'account create', input: { name } })
  const { left } = await proveHistory([
    beginning,
    { do: 'copy file' },
    create('lost'),
    create('lost-too'),
    { do: 'put copy back' },
    create('kept'),
  ])
  const told = left['journal']?.map(({ thing, account }) => account ?? thing)
  expect(told?.slice(-2)).toEqual(['hub', 'kept'])
  expect(told).not.toContain('lost')
})

test('hubs that change one database at once take turns with the numbers', async () => {
  const file = join(temporaryFolder(), 'hub.db')
  const stores = [1, 2, 3].map(() => openSqliteStore(file, { busyTimeoutMs: 10 }))
  for (const store of stores) onTestFinished(() => store.close())
  await Promise.all(
    stores.map(async (store, hub) => {
      const done = verbRunner(store, systemClock)
      for (let each = 0; each < 20; each += 1)
        await done('account create', { name: `${hub}-${each}` })
    }),
  )
  const all = dump(file)
  const { told, held } = replayJournal(all)
  expect(told).toEqual(held)
  expect(all['journal']).toHaveLength(1 + 3 * 20)
})

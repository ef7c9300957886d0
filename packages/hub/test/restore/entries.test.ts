/** What each kind of entry takes away, and what happens to one that does not say enough. */

import { join } from 'node:path'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/time'
import { type Dump, dump } from '@latchkey/testing/hub/dump'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { putNewDatabase } from '@latchkey/testing/hub/new-database'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import { applied, type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pruneJournal } from '../../src/journal/prune-journal.ts'
import { type RepeatedEntry, repeatNarrowing } from '../../src/restore/repeat-narrowing.ts'
import { openJournal, openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import { granted, type Question } from './decisions.ts'

const repository = 'models/acme/bert'
const limited = { on: repository, contents: 'write', refs: ['main'] }

const branches = {
  ...{ main: commit('1'), dev: commit('2') },
  ...{ 'release/1': commit('4'), 'release/open': commit('5') },
}
const refRules = [
  { pattern: 'release/**', write: 'admin' },
  { pattern: 'release/open', write: 'write' },
]

const world = {
  accounts: [
    { name: 'ada', administrator: true },
    { name: 'root', administrator: true },
    { name: 'bob' },
  ],
  namespaces: [{ name: 'acme', members: { ada: 'admin', bob: 'write' } }],
  repositories: [{ type: 'model', id: 'acme/bert', visibility: 'public', branches, refRules }],
  hubTokens: [
    { account: 'bob', name: 'ci', kind: 'fine-grained', grants: [limited] },
    { account: 'ada', name: 'admin', kind: 'admin', expiresAt: '2080-01-01T00:00:00Z' },
    { account: 'ada', name: 'groups', kind: 'admin', adminScopes: ['account', 'hub-token'] },
  ],
}

interface Restored {
  readonly left: Dump
  readonly entries: readonly RepeatedEntry[]
  grants(question: Omit<Question, 'repository'>): Promise<boolean>
}

/** A hub with the world above, a backup of it, and what `change` does afterwards. */
async function afterBackup(
  change: (run: RunVerb, tokens: Readonly<Record<string, string>>) => Promise<unknown>,
): Promise<Restored> {
  const { run, file, backup, tokens } = await begin()
  await change(run, tokens)
  const repeated = await repeat(backup, file)
  if (isRefusal(repeated)) throw new Error(repeated.detail)
  const store = openSqliteStore(backup)
  onTestFinished(() => store.close())
  return {
    left: dump(backup),
    entries: repeated,
    grants: async (question) => (await granted(store, [{ ...question, repository }])).length === 1,
  }
}

async function begin(prepare: (run: RunVerb) => Promise<unknown> = async () => {}) {
  const folder = temporaryFolder()
  const [file, backup] = [join(folder, 'hub.db'), join(folder, 'backup.db')]
  await putNewDatabase(file)
  const store = openSqliteStore(file)
  onTestFinished(() => store.close())
  const run = verbRunner(store, systemClock)
  await applied(run, world)
  await prepare(run)
  await store.backup(backup)
  const tokens = (dump(file)['hub_tokens'] ?? []).map(({ name, id }) => [name, id])
  return { run, store, file, backup, tokens: Object.fromEntries(tokens) }
}

async function repeat(backup: string, old: string) {
  const number = Number(dump(backup)['journal_head']?.[0]?.['number'])
  const store = openSqliteStore(backup)
  const journal = openJournal(old)
  try {
    return await repeatNarrowing(store.directory, {
      old: journal.tables,
      after: number,
      origin: { verb: 'restore', user: 'root' },
      now: systemClock(),
      randomBytes: pooledRandom(),
    })
  } finally {
    journal.close()
    store.close()
  }
}

describe('a journal that cannot be used is refused', () => {
  test('of another hub', async () => {
    const [one, other] = [await begin(), await begin()]
    expect(await repeat(one.backup, other.file)).toMatchObject({
      code: 'cursor_unknown',
      detail: expect.stringMatching(/belongs to another hub, or is older than the backup/),
    })
  })

  test('from which retention has removed entries that came after the backup', async () => {
    const { run, store, file, backup } = await begin()
    await run('account set', { account: 'bob', disabled: true })
    await run('account set', { account: 'bob', disabled: false })
    await pruneJournal(store.directory, { days: 0, nowMs: Date.now() + 1000 })
    expect(await repeat(backup, file)).toMatchObject({
      detail: expect.stringMatching(/were removed from the old journal by its retention/),
    })
  })
})

describe('what was taken away', () => {
  test('each has an entry of its own, by the verb restore, in the same order', async () => {
    const { left, entries } = await afterBackup(async (run, { ci }) => {
      await run('hub-token revoke', { hubToken: ci })
      await run('member set', { namespace: 'acme', account: 'bob', role: 'admin' })
      await run('member set', { namespace: 'acme', account: 'bob', role: 'read' })
      await run('repo set', { repository, visibility: 'private' })
      await run('account set', { account: 'ada', administrator: false })
    })
    expect(entries.map(({ outcome }) => outcome)).toEqual(Array(4).fill('repeated'))
    const told = left['journal']?.filter(({ verb }) => verb === 'restore')
    expect(told).toMatchObject([
      { thing: 'hub-token', did: 'revoked', actor_user: 'root' },
      { thing: 'member', detail: expect.stringContaining('read') },
      { thing: 'repository', detail: expect.stringContaining('private') },
      { thing: 'account', detail: expect.stringContaining('administrator') },
    ])
  })

  test('nothing is given back: what was widened first and then narrowed keeps the smaller value', async () => {
    const { left, entries } = await afterBackup(async (run, { admin }) => {
      await run('hub-token set', { hubToken: admin, expiresAt: 'never' })
      await run('hub-token set', { hubToken: admin, expiresAt: '2090-01-01T00:00:00Z' })
      await run('collaborator set', { repository, account: 'bob', role: 'admin' })
      await run('collaborator delete', { repository, account: 'bob' })
    })
    expect(entries.map(({ outcome }) => outcome)).toEqual(['not needed', 'not needed'])
    const ends = left['hub_tokens']?.find(({ name }) => name === 'admin')?.['expires_at']
    expect(ends).toBe(Date.parse('2080-01-01T00:00:00Z') / 1000)
    expect(left['collaborators']).toEqual([])
  })

  test('a key that was removed is removed again, and one that came later is not brought back', async () => {
    const { run, file, backup } = await begin(async (verb) => {
      await verb('keys rotate')
    })
    const { signing } = await run('keys rotate', { compromised: true })
    const entries = await repeat(backup, file)
    expect(entries).toMatchObject([{ outcome: 'repeated', entry: { thing: 'key' } }])
    expect(dump(file)['signing_keys']).toMatchObject([{ kid: signing }])
    expect(dump(backup)['signing_keys']).toEqual([])
  })

  test('a trusted publisher that was deleted or narrowed does not come back', async () => {
    const rule = {
      repository,
      preset: 'other',
      issuer: 'https://ci.example',
      contents: 'write',
      refs: ['main'],
    }
    const { run, file, backup } = await begin(async (verb) => {
      for (const publisher of ['deleted', 'narrowed', 'kept']) {
        await verb('publisher create', { ...rule, publisher, claims: ['sub=job'] })
      }
    })
    await run('publisher delete', { repository, publisher: 'deleted' })
    await run('publisher set', { repository, publisher: 'narrowed', contents: 'read' })
    await run('publisher set', { repository, publisher: 'kept', label: 'a label' })
    const entries = await repeat(backup, file)
    expect(Array.isArray(entries) && entries.map(({ outcome }) => outcome)).toEqual([
      ...['repeated', 'made safe', 'not needed'],
    ])
    const left = dump(backup)
    expect(left['trusted_publishers']).toMatchObject([{ name: 'kept' }])
    expect(left['collaborators']).toHaveLength(1)
    expect(left['accounts']?.filter(({ kind }) => kind === 'service')).toHaveLength(1)
  })

  test('what is not in the backup is reported, and nothing is made', async () => {
    const { left, entries } = await afterBackup(async (run) => {
      await run('account create', { name: 'eve' })
      await run('account delete', { account: 'eve' })
    })
    expect(entries).toMatchObject([
      { outcome: 'not needed', detail: 'It is not in the backup.', entry: { account: 'eve' } },
    ])
    expect(left['accounts']).toHaveLength(3)
  })

  test('a commit stays closed by a branch that is not in the backup', async () => {
    const question = { account: 'bob', revision: commit('1'), scope: 'write' }
    const open = await afterBackup(async () => {})
    const ci = String(open.left['hub_tokens']?.[0]?.['id'])
    expect(await open.grants({ ...question, hubToken: ci })).toBe(true)
    let hubToken = ''
    const { left, entries, grants } = await afterBackup(async (run, tokens) => {
      hubToken = tokens['ci'] ?? ''
      await run('ref set', { repository, ref: 'secret', from: 'main' })
    })
    expect(entries).toMatchObject([{ outcome: 'repeated', entry: { thing: 'commit' } }])
    expect(await grants({ ...question, hubToken })).toBe(false)
    expect(await grants({ ...question, hubToken, revision: 'main' })).toBe(true)
    expect(left['refs']).toHaveLength(4)
    expect(left['past_holders']).toMatchObject([{ name: 'refs/heads/secret' }])
  })

  test('a commit that got several holders at once stays closed by each', async () => {
    const { left } = await afterBackup(async (run) => {
      for (const ref of ['one', 'two'])
        await run('ref set', { repository, ref, commit: commit('3') })
      await run('commit record', { repository, hash: commit('1'), on: ['one', 'two'] })
    })
    const names = left['past_holders']?.map(({ name }) => name)
    expect(names).toEqual(['refs/heads/one', 'refs/heads/two'])
    const { told, held } = replayJournal(left)
    expect(told).toEqual(held)
  })

  test('a commit stays closed by a branch of the backup that came to hold it', async () => {
    const { left, entries } = await afterBackup((run) =>
      run('ref set', { repository, ref: 'dev', commit: commit('1') }),
    )
    expect(entries.map(({ outcome }) => outcome)).toEqual(['repeated'])
    const dev = left['refs']?.find(({ name }) => name === 'refs/heads/dev')
    expect(dev?.['commit_hash']).toBe(commit('2'))
    expect(left['commit_holders']).toContainEqual(
      expect.objectContaining({ hash: commit('1'), ref_uid: dev?.['uid'] }),
    )
    expect(left['past_holders']).toEqual([])
  })
})

describe('an entry that does not say enough is made safe', () => {
  const refs = Array.from({ length: 64 }, (_, index) => `${'long/'.repeat(30)}${index}`)

  test('a hub token with a long list of grants is revoked', async () => {
    const grants = [1, 2].map(() => ({ on: '*', contents: 'write', refs }))
    const { left, entries } = await afterBackup((run, { ci }) =>
      run('hub-token set', { hubToken: ci, grants }),
    )
    expect(entries).toMatchObject([
      { outcome: 'made safe', detail: expect.stringMatching(/revoked/) },
    ])
    expect(left['hub_tokens']?.[0]?.['revoked_at']).toBeTypeOf('number')
  })

  test('a repository with a long list of rules is written by its administrators alone', async () => {
    const question = { account: 'bob', revision: 'main', scope: 'write' }
    const { entries, grants } = await afterBackup(async (run) => {
      const [first, ...others] = refs.map((pattern) => ({ pattern, write: 'write' }))
      const rules = [{ ...first, write: 'admin' }, ...others]
      const [repo] = world.repositories
      await run('apply', { file: { repositories: [{ ...repo, refRules: rules }] } })
    })
    expect(entries).toMatchObject([
      { outcome: 'made safe', detail: expect.stringMatching(/admin/) },
    ])
    expect(await grants(question)).toBe(false)
    expect(await grants({ ...question, account: 'ada' })).toBe(true)
  })
})

describe('an entry that gives more than the backup does not widen anything', () => {
  const hubToken = (left: Dump, name: string) =>
    left['hub_tokens']?.find((row) => row['name'] === name)

  test.each([
    ['wider ones', [{ on: '*', contents: 'write' }], [{ ...limited, refs: ['main'] }]],
    [
      'some narrower, some wider',
      [
        { on: 'acme/*', contents: 'read' },
        { on: repository, contents: 'write', refs: ['dev', 'r*'] },
      ],
      [{ on: repository, contents: 'read', refs: ['main'] }],
    ],
  ])('grants: %s', async (_, grants, expected) => {
    const { left, entries } = await afterBackup((run, { ci }) =>
      run('hub-token set', { hubToken: ci, grants }),
    )
    expect(JSON.parse(String(hubToken(left, 'ci')?.['grants']))).toEqual(expected)
    expect(hubToken(left, 'ci')?.['revoked_at']).toBeNull()
    for (const { outcome, detail } of entries) {
      if (outcome !== 'not needed') expect(detail).toMatch(/^Narrowed to \[\{"on":/)
    }
  })

  test('grants that share nothing with those of the backup: the hub token is revoked', async () => {
    const { left, entries } = await afterBackup((run, { ci }) =>
      run('hub-token set', { hubToken: ci, grants: [{ on: 'other/*', contents: 'write' }] }),
    )
    expect(entries).toMatchObject([
      { outcome: 'made safe', detail: expect.stringMatching(/both allow: it is revoked/) },
    ])
    expect(hubToken(left, 'ci')?.['revoked_at']).toBeTypeOf('number')
    expect(JSON.parse(String(hubToken(left, 'ci')?.['grants']))).toEqual([limited])
  })

  test.each([
    ['one less, one more', ['account', 'ref'], ['account'], false],
    ['others', ['ref'], ['account', 'hub-token'], true],
  ])('verb groups: %s', async (_, adminScopes, expected, isRevoked) => {
    const { left } = await afterBackup((run, { groups }) =>
      run('hub-token set', { hubToken: groups, adminScopes }),
    )
    const row = hubToken(left, 'groups')
    expect(JSON.parse(String(row?.['admin_scopes']))).toEqual(expected)
    expect(row?.['revoked_at'] !== null).toBe(isRevoked)
  })

  test('verb groups where the backup has every one', async () => {
    const { left } = await afterBackup((run, { admin }) =>
      run('hub-token set', { hubToken: admin, adminScopes: ['ref'] }),
    )
    expect(hubToken(left, 'admin')?.['admin_scopes']).toBe('["ref"]')
  })

  test('expiry and roles: the smaller of the two', async () => {
    const { left } = await afterBackup(async (run, { admin }) => {
      const apply = (file: object) => run('apply', { file })
      // One entry that narrows the verb groups and moves the end further away.
      await run('hub-token set', {
        hubToken: admin,
        adminScopes: ['ref'],
        expiresAt: '2090-01-01T00:00:00Z',
      })
      const acme = { name: 'acme', members: { ada: 'admin', bob: 'admin' } }
      await apply({ namespaces: [acme] })
      await run('member set', { namespace: 'acme', account: 'bob', role: 'write' })
    })
    const end = Date.parse('2080-01-01T00:00:00Z') / 1000
    expect(hubToken(left, 'admin')).toMatchObject({ admin_scopes: '["ref"]', expires_at: end })
    expect(left['members']).toContainEqual(expect.objectContaining({ role: 'write' }))
  })

  test.each([
    ['a rule that goes', 'delete', { pattern: 'release/**' }, 'release/1', false],
    ['an exception', 'set', { pattern: 'release/1', write: 'write' }, 'release/1', false],
    ['a rule that closes', 'set', { pattern: 'main', write: 'admin' }, 'main', false],
    ['a rule beside', 'set', { pattern: 'dev', write: 'write' }, 'release/open', true],
    ['an exception that goes', 'delete', { pattern: 'release/open' }, 'release/open', false],
  ])('ref rules: %s', async (_, verb, rule, revision, isOpen) => {
    const { grants } = await afterBackup((run) => run(`ref-rule ${verb}`, { repository, ...rule }))
    expect(await grants({ account: 'bob', revision, scope: 'write' })).toBe(isOpen)
    expect(await grants({ account: 'ada', revision, scope: 'write' })).toBe(true)
  })

  test('visibility: private stays private when the rules change', async () => {
    const { left } = await afterBackup(async (run) => {
      await run('repo set', { repository, visibility: 'private' })
      const [repo] = world.repositories
      const refRules = [{ pattern: 'main', write: 'admin' }]
      await run('apply', { file: { repositories: [{ ...repo, refRules }] } })
    })
    expect(left['repositories']?.[0]?.['visibility']).toBe('private')
  })
})

test('moments are of the restore, not of the lost hub', async () => {
  const { left } = await afterBackup((run, { ci }) => run('hub-token revoke', { hubToken: ci }))
  const revoked = unixSeconds(Number(left['hub_tokens']?.[0]?.['revoked_at']))
  expect(Math.abs(revoked - systemClock())).toBeLessThan(600)
})

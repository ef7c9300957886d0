/** Administrators of a namespace: what their hub tokens may do, and what stays out of their reach. */

import { verbs } from '@latchkey/admin-api'
import { asAccountId, isRefusal } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../../src/identity/caller.ts'
import { isDelegated } from '../../src/verbs/delegation.ts'
import { inputs } from '../journal/arbitrary-steps.ts'
import { corp, vouch } from '../sign-in/by-groups.ts'
import {
  type Answer,
  administrator,
  hash,
  type Opened,
  openDirectory,
  start,
} from './open-directory.ts'
import { twoNamespaces as file, isLed, outside } from './two-namespaces.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 300 : 25

const bert = { repository: 'models/acme/bert' }

async function opened(account = 'ada', namespaces: readonly string[] = ['acme']) {
  const directory = await openDirectory()
  const applied = await directory.apply(file)
  if (isRefusal(applied)) throw new Error(applied.detail)
  directory.actor = await actorOf(directory, account, namespaces)
  return directory
}

async function actorOf(
  { done }: Opened,
  account: string,
  namespaces: readonly string[],
): Promise<Caller> {
  const { id, administrator: isHubs } = await done('account show', { account })
  const accountId = asAccountId(String(id))
  return {
    ...administrator(),
    accountId,
    accountName: account,
    administrator: isHubs === true,
    namespaces,
  }
}

/** The machine itself, for a moment. */
async function byMachine<Result>(directory: Opened, work: () => Promise<Result>): Promise<Result> {
  const { actor } = directory
  directory.actor = undefined
  try {
    return await work()
  } finally {
    directory.actor = actor
  }
}

// conformance: Attacks / 77. An administrator of a namespace reaches beyond it
describe('an administrator of a namespace', () => {
  test('manages its members, teams, repositories and ref rules', async () => {
    const { done } = await opened()
    await done('member set', { namespace: 'acme', account: 'eve', role: 'admin' })
    await done('team create', { namespace: 'acme', team: 'new', role: 'write' })
    await done('team-member set', { namespace: 'acme', team: 'new', account: 'eve' })
    const group = { namespace: 'acme', team: 'new', provider: 'corp', group: 'staff' }
    await done('team-group set', group)
    expect(await done('team-group list', { namespace: 'acme', team: 'new' })).toEqual({
      ...{ items: [group], total: 1 },
    })
    await done('repo create', { repository: 'models/acme/new' })
    await done('collaborator set', { ...bert, account: 'cyd', role: 'read' })
    await done('team-role set', { ...bert, team: 'new', role: 'admin' })
    await done('ref-rule set', { ...bert, pattern: 'main', write: 'admin' })
    await done('repo set', { ...bert, visibility: 'public' })
    await done('repo delete', { repository: 'models/acme/new' })
    expect(await done('repo list', { namespace: 'acme' })).toMatchObject({ total: 1 })
    expect(await done('namespace show', { namespace: 'acme' })).toMatchObject({ name: 'acme' })
  })

  test.each([
    [
      'another namespace of the account',
      'member set',
      { namespace: 'beta', account: 'ada', role: 'admin' },
    ],
    [
      'a team elsewhere',
      'team-group set',
      { namespace: 'beta', team: 'curators', provider: 'corp', group: 'staff' },
    ],
    ['another namespace', 'team create', { namespace: 'beta', team: 'mine', role: 'admin' }],
    [
      'a repository elsewhere',
      'team-role set',
      { repository: 'datasets/beta/set', team: 'curators', role: 'admin' },
    ],
    [
      'a repository elsewhere',
      'collaborator set',
      { repository: 'datasets/beta/set', account: 'ada', role: 'admin' },
    ],
    [
      'a namespace that is not there',
      'member set',
      { namespace: 'nowhere', account: 'ada', role: 'admin' },
    ],
    [
      'a namespace in other case',
      'member set',
      { namespace: 'ACME', account: 'ada', role: 'admin' },
    ],
    ['a new repository elsewhere', 'repo create', { repository: 'models/beta/new' }],
    ['every repository', 'repo list', {}],
    [
      'the storage of a repository',
      'repo create',
      { repository: 'models/acme/new', storage: 'default' },
    ],
    ['accounts', 'account create', { name: 'new' }],
    ['accounts', 'account set', { account: 'ada', administrator: true }],
    ['namespaces', 'namespace create', { name: 'new' }],
    ['namespaces', 'namespace delete', { namespace: 'acme' }],
    ['hub tokens', 'hub-token create', { account: 'bob', name: 'new', kind: 'write' }],
    ['hub tokens', 'hub-token list', {}],
    ['refs', 'ref set', { ...bert, ref: 'main', commit: hash(2) }],
    ['the journal', 'changes', {}],
    ['keys', 'keys rotate', {}],
    ['the forge', 'forge adopt', { forge: 'f'.repeat(26) }],
    ['apply', 'apply', { file: { accounts: [{ name: 'ada', administrator: true }] } }],
  ])('does not reach %s: %s', async (_, words, input) => {
    const directory = await opened()
    const before = await directory.everything()
    expect(await directory.run(words, input)).toMatchObject({ code: 'permission_denied' })
    expect(await directory.everything()).toEqual(before)
  })

  test('learns nothing about namespaces of others', async () => {
    const { run } = await opened()
    const detailOf = async (namespace: string) =>
      String((await run('member list', { namespace }))['detail']).replaceAll(namespace, 'X')
    expect(await detailOf('beta')).toBe(await detailOf('nowhere'))
  })

  test.each(['read', 'write', 'none'])(
    'loses all with the role: %s is not enough',
    async (role) => {
      const directory = await opened()
      const member = { namespace: 'acme', account: 'ada' }
      await byMachine(directory, async () => {
        await directory.done('member set', { namespace: 'acme', account: 'eve', role: 'admin' })
        if (role === 'none') await directory.done('member delete', member)
        else await directory.done('member set', { ...member, role })
      })
      const again = { ...member, role: 'admin' }
      expect(await directory.run('member set', again)).toMatchObject({
        code: 'permission_denied',
        missing: 'the role admin in the namespace acme',
      })
    },
  )

  test('may have the role through a team, as long as the membership lasts', async () => {
    const directory = await opened('eve')
    const wish = { namespace: 'acme', team: 'new' }
    expect(await directory.run('team create', wish)).toMatchObject({ code: 'permission_denied' })
    const until = new Date((directory.now + 60) * 1000).toISOString()
    const chief = { namespace: 'acme', team: 'chiefs', account: 'eve', until }
    await byMachine(directory, () => directory.done('team-member set', chief))
    await directory.done('team create', wish)
    directory.now = (directory.now + 60) as typeof directory.now
    expect(await directory.run('team delete', wish)).toMatchObject({ code: 'permission_denied' })
  })

  test.each([
    ['member delete', { namespace: 'acme', account: 'ada' }],
    ['member set', { namespace: 'acme', account: 'ada', role: 'write' }],
  ])('does not leave the namespace without one: %s', async (words, input) => {
    const directory = await opened()
    expect(await directory.run(words, input)).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('without an administrator'),
    })
    // An administrator who is disabled, or whose membership ends, is none.
    await byMachine(directory, async () => {
      await directory.done('member set', { namespace: 'acme', account: 'eve', role: 'admin' })
      await directory.done('account set', { account: 'eve', disabled: true })
      const chief = { namespace: 'acme', team: 'chiefs', account: 'bob' }
      await directory.done('team-member set', { ...chief, until: '2099-01-01T00:00:00Z' })
    })
    expect(await directory.run(words, input)).toMatchObject({ code: 'conflict' })
    const chief = { namespace: 'acme', team: 'chiefs', account: 'bob' }
    await directory.done('team-member set', chief)
    await directory.done(words, input)
    expect(
      await byMachine(directory, () =>
        directory.run('member delete', { namespace: 'acme', account: 'eve' }),
      ),
    ).toEqual({ deleted: 'eve' })
  })

  test('of the hub needs no role, and reaches no more with such a hub token', async () => {
    const { run, done } = await opened('root')
    await done('member set', { namespace: 'acme', account: 'eve', role: 'read' })
    expect(await run('member list', { namespace: 'beta' })).toMatchObject({
      code: 'permission_denied',
    })
    expect(await run('account create', { name: 'new' })).toMatchObject({
      code: 'permission_denied',
    })
  })
})

// conformance: Attacks / 77. An administrator of a namespace reaches beyond it
describe('an administrator of a namespace for a time', () => {
  const hour = 3600
  const chiefs = { namespace: 'acme', team: 'chiefs' }
  const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString()

  /** Eve, by a membership of chiefs that ends in an hour. */
  async function forAnHour() {
    const directory = await opened('eve')
    const end = directory.now + hour
    await byMachine(directory, async () => {
      await directory.done('team-member set', { ...chiefs, account: 'eve', until: timeOf(end) })
      await directory.done('team-role set', { ...bert, team: 'curators', role: 'admin' })
      const person = { account: 'bob', issuer: corp.issuer, subject: 'bob-1', provider: 'corp' }
      await directory.done('account link', person)
    })
    return { directory, end }
  }

  test.each([
    ['member set', { namespace: 'acme', account: 'eve', role: 'admin' }],
    ['member set', { namespace: 'acme', account: 'bob', role: 'admin' }],
    ['collaborator set', { ...bert, account: 'eve', role: 'admin' }],
    ['team create', { namespace: 'acme', team: 'new', role: 'admin' }],
    ['team set', { namespace: 'acme', team: 'curators', role: 'admin' }],
    ['team-role set', { ...bert, team: 'chiefs', role: 'admin' }],
    ['team-member set', { ...chiefs, account: 'eve' }],
    ['team-member set', { ...chiefs, account: 'bob', until: timeOf(start + hour + 1) }],
    ['team-member set', { namespace: 'acme', team: 'curators', account: 'eve' }],
    ['team-group set', { ...chiefs, provider: 'corp', group: 'staff' }],
    ['team-group set', { namespace: 'acme', team: 'curators', provider: 'corp', group: 'staff' }],
  ])('does not give its role for longer: %s %j', async (words, input) => {
    const { directory, end } = await forAnHour()
    const before = await directory.everything()
    expect(await directory.run(words, input)).toMatchObject({
      code: 'permission_denied',
      detail: expect.stringContaining(timeOf(end).replace('.000', '')),
      missing: 'the role admin in the namespace acme without an end',
    })
    expect(await directory.everything()).toEqual(before)
    // Nor while a provider confirms the membership from day to day.
    await byMachine(directory, async () => {
      await directory.done('team-member delete', { ...chiefs, account: 'eve' })
      const group = { ...chiefs, provider: 'corp', group: 'chiefs' }
      await directory.done('team-group set', group)
      const person = { issuer: corp.issuer, subject: 'eve-1' }
      await directory.done('account link', { ...person, account: 'eve', provider: 'corp' })
    })
    const now = directory.now
    const maxAgeSeconds = hour
    const vouched = { subject: 'eve-1', groups: ['chiefs'], now, maxAgeSeconds }
    await vouch(directory.store.directory, vouched)
    expect(await directory.run(words, input)).toMatchObject({ code: 'permission_denied' })
  })

  test('gives other roles, and its own one for as long as it has it', async () => {
    const { directory, end } = await forAnHour()
    const { done } = directory
    await done('member set', { namespace: 'acme', account: 'eve', role: 'write' })
    await done('collaborator set', { ...bert, account: 'cyd', role: 'write' })
    await done('team create', { namespace: 'acme', team: 'new', role: 'write' })
    await done('team-member set', { namespace: 'acme', team: 'new', account: 'eve' })
    await done('team-group set', { ...chiefs, team: 'new', provider: 'corp', group: 'staff' })
    await done('team-member set', { ...chiefs, account: 'bob', until: timeOf(end) })
    await done('team-member set', { ...chiefs, account: 'eve', until: timeOf(end - 60) })
    expect(
      await directory.run('team-member set', { ...chiefs, account: 'eve', until: timeOf(end) }),
    ).toMatchObject({ code: 'permission_denied' })
  })

  test('is bound no more once the own account has the role without an end', async () => {
    const { directory } = await forAnHour()
    const member = { namespace: 'acme', account: 'eve', role: 'admin' }
    await byMachine(directory, () => directory.done('member set', member))
    await directory.done('member set', { ...member, account: 'bob' })
    await directory.done('team-member set', { ...chiefs, account: 'eve' })
  })

  test(`leaves no administrator behind that was none before, in ${runs} histories`, async () => {
    const verbsOfRoles = [
      ...['member set', 'member delete', 'collaborator set', 'team create', 'team set'],
      ...['team-member set', 'team-group set', 'team-role set', 'repo create'],
    ]
    const step = fc.constantFrom(...verbsOfRoles).chain((name) =>
      fc.record({
        name: fc.constant(name),
        input: inputs[name] ?? fc.constant({}),
        isOfChiefs: fc.boolean(),
      }),
    )
    let done = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const { directory, end } = await forAnHour()
        const before = await administratorsAfter(directory, end)
        for (const { name, input, isOfChiefs } of steps) {
          const team = isOfChiefs && 'team' in input ? { team: 'chiefs' } : {}
          if (!isRefusal(await directory.run(name, { ...input, ...team }))) done += 1
        }
        const groups = ['staff', '/a/b']
        await vouch(directory.store.directory, { subject: 'bob-1', groups, now: end })
        const left = await administratorsAfter(directory, end)
        expect(left.filter((one) => !before.includes(one))).toEqual([])
      }),
      { numRuns: runs },
    )
    expect(done).toBeGreaterThan(runs / 2)
  }, 120_000)
})

/** Accounts with the role admin after a time, each with the namespace or repository where it has it. */
function administratorsAfter({ store }: Opened, time: number): Promise<readonly string[]> {
  return store.directory.read(async (tables) => {
    const members = await tables
      .selectFrom('members')
      .select(['namespace_id as place', 'account_id'])
      .where('role', '=', 'admin')
      .execute()
    const collaborators = await tables
      .selectFrom('collaborators')
      .select(['repository_uid as place', 'account_id'])
      .where('role', '=', 'admin')
      .execute()
    const inTeams = await tables
      .selectFrom('team_access')
      .select(['place_id as place', 'account_id'])
      .where('administers_until', '>', time)
      .execute()
    return [...members, ...collaborators, ...inTeams].map((row) => `${row.place} ${row.account_id}`)
  })
}

describe('an admin hub token with namespaces', () => {
  const wish = { account: 'ada', name: 'manage', kind: 'admin', namespaces: ['acme'] }

  test('is made for an account that is no administrator of the hub', async () => {
    const directory = await opened()
    await byMachine(directory, async () => {
      expect(await directory.done('hub-token create', wish)).toMatchObject({ namespaces: ['acme'] })
      const { namespaces: _, ...whole } = wish
      expect(await directory.run('hub-token create', { ...whole, name: 'x' })).toMatchObject({
        code: 'conflict',
      })
      expect(await directory.run('hub-token create', { ...wish, kind: 'write' })).toMatchObject({
        code: 'bad_request',
        path: 'namespaces',
      })
    })
  })

  test('is beyond a limited admin hub token that does not manage namespaces', async () => {
    const directory = await opened()
    directory.actor = administrator(['hub-token'])
    expect(await directory.run('hub-token create', wish)).toMatchObject({
      code: 'permission_denied',
    })
    directory.actor = administrator(['hub-token', 'namespace', 'repository'])
    await directory.done('hub-token create', wish)
  })

  test('keeps its namespaces', async () => {
    const directory = await opened()
    await byMachine(directory, async () => {
      const hubTokens = [wish]
      await directory.apply({ hubTokens })
      expect(await directory.apply({ hubTokens })).toMatchObject({ changes: [] })
      const wider = [{ ...wish, namespaces: ['acme', 'beta'] }]
      expect(await directory.apply({ hubTokens: wider })).toMatchObject({
        code: 'conflict',
        path: 'hubTokens[0].namespaces',
      })
    })
  })
})

// conformance: Attacks / 77. An administrator of a namespace reaches beyond it
describe('whatever an administrator of a namespace does', () => {
  const changing = verbs.filter((verb) => verb.method !== 'GET')
  const words = changing.map((verb) => verb.words).filter((name) => name in inputs)

  test(`everything outside stays as it is, in ${runs} histories`, async () => {
    const step = fc
      .constantFrom(...words)
      .chain((name) =>
        fc.record({ name: fc.constant(name), input: inputs[name] ?? fc.constant({}) }),
      )
    let done = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const directory = await opened()
        const before = await outside(directory)
        for (const { name, input } of steps) {
          const answer: Answer = await directory.run(name, input)
          if (!isRefusal(answer)) done += 1
          if (!isRefusal(answer)) expect(isDelegated({ words: name }), name).toBe(true)
        }
        expect(await outside(directory)).toEqual(before)
        expect(await isLed(directory)).toBe(true)
      }),
      { numRuns: runs },
    )
    expect(done).toBeGreaterThan(runs / 2)
  }, 120_000)
})

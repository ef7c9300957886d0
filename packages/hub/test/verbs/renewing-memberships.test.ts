/** One hub asks the providers again, and what they say becomes the memberships of people who are signed in. */

import { isRefusal, Secret, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { describe, expect, test } from 'vitest'
import { parseMasterKey } from '../../src/keys/master-key.ts'
import { rewrapKeys } from '../../src/keys/rewrap.ts'
import { makeSealed, openProviderToken } from '../../src/keys/seal.ts'
import { startFamily } from '../../src/oauth/families.ts'
import { endUnconfigured } from '../../src/sign-in/end-unconfigured.ts'
import type { Provider, Renewal } from '../../src/sign-in/open-providers.ts'
import { openSession } from '../../src/sign-in/open-session.ts'
import { noteSignIn, renewMemberships } from '../../src/sign-in/renew-memberships.ts'
import { endSignIns } from '../../src/tables/end-sign-ins.ts'
import { corp } from '../sign-in/by-groups.ts'
import { openDirectory, start } from './open-directory.ts'

const randomBytes = pooledRandom()
const masterKey = newMasterKey()
const day = 86_400

function newMasterKey() {
  const text = Buffer.from(randomBytes(32)).toString('base64')
  return parseMasterKey(text) ?? expect.unreachable()
}

const file = {
  accounts: ['ada', 'bob'].map((name) => ({ name })),
  namespaces: [
    {
      name: 'acme',
      teams: {
        staff: { role: 'write', groups: { corp: ['staff'] } },
        chiefs: { role: 'admin', groups: { corp: ['chiefs'] } },
      },
    },
  ],
}

/** A provider that says what a test wants, and counts who asks how often. */
function fakeProvider() {
  const provider = {
    ...{ inFlight: 0, mostInFlight: 0, down: false },
    settings: corp,
    /** By subject; a person without groups here is unknown. */
    groups: new Map<string, readonly string[] | undefined>(),
    asked: [] as string[],
    meanwhile: async () => {},
    authorize: async () => '',
    redeem: async () => expect.unreachable(),
    async renew(token: Secret<'provider-token'>): Promise<Renewal> {
      const [subject = '', count = '0'] = token.reveal().split(' ')
      provider.asked.push(token.reveal())
      provider.inFlight += 1
      provider.mostInFlight = Math.max(provider.mostInFlight, provider.inFlight)
      await provider.meanwhile()
      provider.inFlight -= 1
      if (provider.down) return { outcome: 'failed', reason: 'down' }
      if (!provider.groups.has(subject)) return { outcome: 'ended', reason: 'invalid_grant' }
      const groups = provider.groups.get(subject)
      const claims = { ...(groups && { groups }) }
      const identity = { issuer: corp.issuer, subject, claims, authTime: undefined }
      const next = new Secret('provider-token', `${subject} ${Number(count) + 1}`)
      return { outcome: 'answered', identity, token: next }
    },
  } satisfies Provider & Record<string, unknown>
  return provider
}

async function opened(change: Partial<typeof corp> = {}) {
  const directory = await openDirectory()
  const applied = await directory.apply(file)
  if (isRefusal(applied)) throw new Error(applied.detail)
  const provider = Object.assign(fakeProvider(), { settings: { ...corp, ...change } })
  const clock = { now: start as number }
  const lines: string[] = []
  const deps = {
    ...{ directory: directory.store.directory, configured: new Map([['corp', provider]]) },
    ...{ masterKey, maxAgeSeconds: day, clock: () => unixSeconds(clock.now), randomBytes },
    log: (event: string, members: object) => lines.push(JSON.stringify({ event, ...members })),
  }
  const newHub = (holder: string) => renewMemberships({ ...deps, holder })
  const { read, note } = deps.directory
  const signIn = async (account: string, subject = `${account}-1`, token = `${subject} 0`) => {
    const row = { account, provider: 'corp', issuer: corp.issuer, subject }
    await directory.run('account link', row)
    const { now } = clock
    const groups = provider.groups.get(subject)
    const moment = { now: unixSeconds(now), requestId: 'test' }
    await openSession({ directory: deps.directory, randomBytes }, moment, async (transaction) => {
      const found = await transaction.tables
        .selectFrom('accounts')
        .selectAll()
        .where('name', '=', account)
        .executeTakeFirstOrThrow()
      const identity = {
        ...{ issuer: corp.issuer, subject, claims: { ...(groups && { groups }) } },
        ...{ authTime: undefined, token: new Secret('provider-token', token) },
      }
      const person = { identity, account: found, provider: provider.settings, now }
      await noteSignIn(transaction, { ...person, origin: { verb: 'sign-in' } }, deps)
      return {
        ...{ account: found, kind: 'write', grants: '[]', by: { provider: 'corp' } },
        ...{ authTime: null, freshUntil: null, before: undefined },
      }
    })
  }
  const memberships = () =>
    read(async (tables) => {
      const rows = await tables
        .selectFrom('group_members')
        .innerJoin('teams', 'teams.id', 'group_members.team_id')
        .select(['teams.name', 'subject', 'until'])
        .orderBy('teams.name')
        .orderBy('subject')
        .execute()
      return rows.map(({ name, subject, until }) => `${subject} ${name} ${until - start}`)
    })
  const liveTokens = (now = clock.now) =>
    read(async (tables) => {
      const rows = await tables
        .selectFrom('hub_tokens')
        .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
        .select(['accounts.name', 'hub_tokens.origin'])
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .orderBy('accounts.name')
        .orderBy('hub_tokens.origin')
        .execute()
      return rows.map(({ name, origin }) => `${name} ${origin}`)
    })
  const keptTokens = () =>
    read((tables) => tables.selectFrom('provider_tokens').selectAll().orderBy('subject').execute())
  const device = (account: string) =>
    note('refresh token', async (transaction) => {
      const found = await transaction.tables
        .selectFrom('accounts')
        .selectAll()
        .where('name', '=', account)
        .executeTakeFirstOrThrow()
      const now = unixSeconds(clock.now)
      const work = { transaction, now, randomBytes, hubTokenPrefix: 'lk_' }
      const family = {
        ...{
          account_id: found.id,
          client_id: 'latchkey',
          program: 'latchkey',
          scope: 'write' as const,
        },
        ...{ address: '192.0.2.1', provider: 'corp', maker_id: null },
      }
      const origin = { verb: 'test' }
      await startFamily(work, { account: found, family, endsAt: null, origin })
      return undefined
    })
  /** The session goes on: without a request it would end after hours. */
  const pass = async (seconds: number) => {
    clock.now += seconds
    await note('session seen', async ({ tables }) => {
      await tables.updateTable('sessions').set({ last_seen_at: clock.now }).execute()
      return undefined
    })
  }
  const parts = { directory, provider, clock, lines, deps, newHub, signIn, memberships }
  return { ...parts, liveTokens, keptTokens, device, pass }
}

/** Every time to ask again is past, and no membership has ended. */
const due = day * 0.6

describe('a provider is asked again', () => {
  test('at half of the age for people who are signed in, and memberships follow what it says', async () => {
    const { provider, newHub, signIn, memberships, pass } = await opened()
    provider.groups.set('ada-1', ['staff'])
    provider.groups.set('bob-1', ['staff', 'chiefs'])
    await signIn('ada')
    await signIn('bob')
    const all = [`bob-1 chiefs ${day}`, `ada-1 staff ${day}`, `bob-1 staff ${day}`]
    expect(await memberships()).toEqual(all)
    const hub = newHub('one')
    await pass(day * 0.4)
    await hub.renew()
    expect(provider.asked).toEqual([])
    await pass(day * 0.2)
    provider.groups.set('ada-1', ['chiefs'])
    await hub.renew()
    const until = due + day
    expect(await memberships()).toEqual([
      ...[`ada-1 chiefs ${until}`, `bob-1 chiefs ${until}`, `bob-1 staff ${until}`],
    ])
    // With the token that came with the answer.
    await pass(due)
    await hub.renew()
    expect(provider.asked.toSorted()).toEqual(['ada-1 0', 'ada-1 1', 'bob-1 0', 'bob-1 1'])
    await hub.stop()
  })

  test('by one hub of two, and by the other one once that has stopped or is silent', async () => {
    const { provider, deps, newHub, signIn, clock, pass } = await opened()
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    const [one, two] = [newHub('one'), newHub('two')]
    await pass(due)
    await Promise.all([one.renew(), two.renew(), one.renew(), two.renew()])
    expect(provider.asked).toEqual(['ada-1 0'])
    /** Whether a hub asks when somebody is due. */
    const asks = async (hub: typeof one) => {
      await deps.directory.note('provider token', async ({ tables }) => {
        await tables.updateTable('provider_tokens').set({ ask_at: clock.now }).execute()
        return undefined
      })
      const before = provider.asked.length
      await hub.renew()
      return provider.asked.length > before
    }
    const holder = (await asks(one)) ? { hub: one, other: two } : { hub: two, other: one }
    expect([await asks(holder.hub), await asks(holder.other)]).toEqual([true, false])
    await pass(301)
    expect([await asks(holder.other), await asks(holder.hub)]).toEqual([true, false])
    await holder.other.stop()
    expect(await asks(holder.hub)).toBe(true)
    await holder.hub.stop()
  })

  test('for a device too, and for nobody who is signed in nowhere: that token is deleted', async () => {
    const { provider, newHub, signIn, device, keptTokens, clock, memberships } = await opened()
    for (const name of ['ada', 'bob']) {
      provider.groups.set(`${name}-1`, ['staff'])
      await signIn(name)
    }
    await device('bob')
    clock.now += due
    const hub = newHub('one')
    await hub.renew()
    expect(provider.asked).toEqual(['bob-1 0'])
    expect((await keptTokens()).map(({ subject }) => subject)).toEqual(['bob-1'])
    // It runs out.
    expect(await memberships()).toEqual([`ada-1 staff ${day}`, `bob-1 staff ${due + day}`])
    await hub.stop()
  })

  test('for nobody whose account is disabled, and the memberships have ended', async () => {
    const { provider, directory, newHub, signIn, memberships, keptTokens, pass } = await opened()
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    await directory.done('account set', { account: 'ada', disabled: true })
    expect(await memberships()).toEqual([])
    await directory.done('account set', { account: 'ada', disabled: false })
    expect(await memberships()).toEqual([])
    await pass(due)
    const hub = newHub('one')
    await hub.renew()
    expect([provider.asked, await keptTokens()]).toEqual([[], []])
    await hub.stop()
  })

  test('a few people at a time, however many are due', async () => {
    const { provider, directory, newHub, signIn, deps, pass } = await opened()
    const names = Array.from({ length: 24 }, (_, at) => `p${at}`)
    provider.meanwhile = () => new Promise((resolve) => setImmediate(resolve))
    for (const name of names) {
      provider.groups.set(`${name}-1`, ['staff'])
      await directory.done('account create', { name })
      await signIn(name)
    }
    const times = await deps.directory.read((tables) =>
      tables.selectFrom('provider_tokens').select('ask_at').distinct().execute(),
    )
    expect(times.length, 'they are not due in one second').toBeGreaterThan(12)
    await pass(due)
    const hub = newHub('one')
    await hub.renew()
    expect(new Set(provider.asked).size).toBe(24)
    expect(provider.asked).toHaveLength(24)
    expect(provider.mostInFlight).toBe(4)
    await hub.stop()
  })
})

describe('a provider that does not vouch any more', () => {
  test('ends the sessions, devices and memberships that came from it, and nothing of others', async () => {
    const { provider, newHub, signIn, device, lines, ...around } = await opened()
    const { memberships, liveTokens, keptTokens, pass } = around
    for (const name of ['ada', 'bob']) {
      provider.groups.set(`${name}-1`, ['staff'])
      await signIn(name)
      await device(name)
    }
    await pass(due)
    provider.groups.delete('ada-1')
    const hub = newHub('one')
    await hub.renew()
    expect(await liveTokens()).toEqual(['bob device', 'bob session'])
    expect(await memberships()).toEqual([`bob-1 staff ${due + day}`])
    expect((await keptTokens()).map(({ subject }) => subject)).toEqual(['bob-1'])
    expect(lines.join('\n')).toContain('"sign_ins_ended_by_provider"')
    await hub.stop()
  })

  test('ends them too when a condition of the sign-in does not hold any more', async () => {
    const { provider, newHub, signIn, liveTokens, memberships, pass } = await opened({
      groups: ['staff'],
    })
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    await pass(due)
    provider.groups.set('ada-1', ['other'])
    const hub = newHub('one')
    await hub.renew()
    expect([await liveTokens(), await memberships()]).toEqual([[], []])
    await hub.stop()
  })

  test('and a sign-in that came meanwhile counts, not the answer to an older question', async () => {
    const { provider, newHub, signIn, liveTokens, memberships, keptTokens, pass } = await opened()
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    await pass(due)
    const hub = newHub('one')
    provider.groups.delete('ada-1')
    provider.meanwhile = async () => {
      provider.meanwhile = async () => {}
      provider.groups.set('ada-1', ['chiefs'])
      await signIn('ada', 'ada-1', 'ada-1 new')
      provider.groups.delete('ada-1')
    }
    await hub.renew()
    expect(await liveTokens()).toEqual(['ada session', 'ada session'])
    expect(await memberships()).toEqual([`ada-1 chiefs ${due + day}`])
    const [row] = await keptTokens()
    expect(row && openProviderToken(row, masterKey)?.reveal()).toBe('ada-1 new')
    await hub.stop()
  })
})

describe('a provider that does not answer', () => {
  test('ends nothing: memberships run out, and it is asked again minutes later, not by hundreds', async () => {
    const { provider, directory, newHub, signIn, lines, ...around } = await opened()
    const { memberships, liveTokens, pass } = around
    for (let at = 0; at < 12; at += 1) {
      await directory.done('account create', { name: `p${at}` })
      provider.groups.set(`p${at}-1`, ['staff'])
      await signIn(`p${at}`)
    }
    const before = await memberships()
    provider.down = true
    await pass(due)
    const hub = newHub('one')
    await hub.renew()
    expect(provider.asked.length).toBeGreaterThanOrEqual(4)
    expect(provider.asked.length).toBeLessThan(8)
    expect(lines.join('\n')).toContain('"memberships_not_renewed"')
    expect([await memberships(), (await liveTokens()).length]).toEqual([before, 12])
    provider.down = false
    provider.asked.length = 0
    await pass(900)
    await hub.renew()
    expect(new Set(provider.asked).size).toBe(12)
    expect(new Set(await memberships()).size).toBe(12)
    expect((await memberships()).every((row) => row.endsWith(`${due + 900 + day}`))).toBe(true)
    await hub.stop()
  })

  test.each([
    ['ends the memberships when it leaves the groups out', 'empty', []],
    ['changes nothing when it leaves the groups out, by option', 'keep', [`ada-1 staff ${day}`]],
  ] as const)('or %s', async (_, missingGroups, left) => {
    const { provider, newHub, signIn, memberships, liveTokens, pass } = await opened({
      ...{ missingGroups, groups: ['staff'] },
    })
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    await pass(due)
    provider.groups.set('ada-1', undefined)
    const hub = newHub('one')
    await hub.renew()
    expect(provider.asked).toHaveLength(1)
    expect(await memberships()).toEqual(left)
    expect(await liveTokens()).toEqual(['ada session'])
    await hub.stop()
  })
})

describe('memberships and tokens of a provider', () => {
  test('end when the configuration does not have the provider, or has it with another issuer', async () => {
    const { provider, deps, signIn, memberships, keptTokens } = await opened()
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    const origin = { verb: 'serve' }
    expect(await endUnconfigured(deps.directory, [corp], origin)).toBe(0)
    expect(await memberships()).toHaveLength(1)
    const moved = { ...corp, issuer: 'https://other.example' }
    expect(await endUnconfigured(deps.directory, [moved], origin)).toBe(1)
    expect([await memberships(), await keptTokens()]).toEqual([[], []])
    await signIn('ada')
    expect(await endUnconfigured(deps.directory, [], origin)).toBe(1)
    expect([await memberships(), await keptTokens()]).toEqual([[], []])
  })

  test('end with the identity, and with a restore, a failover or a rollback', async () => {
    const { provider, directory, deps, clock, signIn, memberships, keptTokens } = await opened()
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    const identity = { issuer: corp.issuer, subject: 'ada-1' }
    await directory.done('account unlink', { account: 'ada', ...identity })
    expect([await memberships(), await keptTokens()]).toEqual([[], []])
    await signIn('ada')
    await deps.directory.change(async ({ tables, putAs }) => {
      await putAs({ verb: 'rollback' })(await endSignIns(tables, clock.now))
      return undefined
    })
    expect([await memberships(), await keptTokens()]).toEqual([[], []])
  })

  test.each([
    ['disabled', 'account set', { account: 'ada', disabled: true }],
    ['ended with its provider', 'identity end', { provider: 'corp' }],
  ] as const)('are not renewed by an answer to an account that is %s meanwhile', async (...row) => {
    const [, words, input] = row
    const { provider, directory, newHub, signIn, memberships, keptTokens, pass } = await opened()
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    await pass(due)
    provider.meanwhile = async () => {
      await directory.done(words, input)
    }
    const hub = newHub('one')
    await hub.renew()
    expect(provider.asked).toEqual(['ada-1 0'])
    expect([await memberships(), await keptTokens()]).toEqual([[], []])
    await hub.stop()
  })

  test('end with their provider, as its sessions and devices, and those of other providers stay', async () => {
    const { provider, directory, deps, signIn, device, ...around } = await opened()
    const { memberships, liveTokens, keptTokens } = around
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada')
    await device('ada')
    expect(await directory.done('identity end', { provider: 'other' })).toEqual({
      ...{ provider: 'other', sessions: 0, deviceLogins: 0, memberships: 0 },
    })
    expect(await memberships()).toHaveLength(1)
    expect(await directory.done('identity end', { provider: 'corp' })).toEqual({
      ...{ provider: 'corp', sessions: 1, deviceLogins: 1, memberships: 1 },
    })
    expect([await memberships(), await liveTokens(), await keptTokens()]).toEqual([[], [], []])
  })

  test('are sealed: the database has no token, and another master key or person opens none', async () => {
    const { provider, deps, signIn, keptTokens } = await opened()
    provider.groups.set('ada-1', ['staff'])
    await signIn('ada', 'ada-1', 'the-token-of-ada')
    const [row] = await keptTokens()
    if (row === undefined) return expect.unreachable()
    expect(Buffer.from(row.sealed, 'base64').toString('latin1')).not.toContain('the-token')
    expect(openProviderToken(row, newMasterKey())).toBeUndefined()
    expect(openProviderToken({ ...row, subject: 'bob-1' }, masterKey)).toBeUndefined()
    expect(openProviderToken(row, masterKey)?.reveal()).toBe('the-token-of-ada')
    const next = newMasterKey()
    await deps.directory.change(async ({ putAs }) => {
      const sealed = await makeSealed('ES256', masterKey)
      const times = { created_at: start, activates_at: start, activated_at: start }
      const after = { ...sealed, ...times, purpose: 'tokens', retired_at: null, max_lifetime: 900 }
      await putAs({ verb: 'test' })([{ thing: 'key', after: { ...after, purpose: 'tokens' } }])
      return undefined
    })
    const origin = { verb: 'test' }
    const moment = { origin, now: unixSeconds(start) }
    await rewrapKeys(deps.directory, { old: [masterKey], next, ...moment })
    const [sealedAnew] = await keptTokens()
    expect(sealedAnew && openProviderToken(sealedAnew, next)?.reveal()).toBe('the-token-of-ada')
  })
})

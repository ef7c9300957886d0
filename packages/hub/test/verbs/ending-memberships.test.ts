/** A membership ends at its time: at every hub, by its own clock, with all caches warm and nothing written. */

import { setImmediate } from 'node:timers/promises'
import {
  asAccountId,
  isRefusal,
  parseRevision,
  parseTokenPath,
  type RepoRef,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { parseClaims } from '@latchkey/token'
import { describe, expect, test } from 'vitest'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import { readSent } from '../../src/identity/read-credential.ts'
import { type KnownDeps, keyOf, tokens } from '../../src/issue/with-known.ts'
import { closedRepository } from '../../src/permission/access-facts.ts'
import { issuingOver } from '../issue/issuing-over.ts'
import { corp, vouch } from '../sign-in/by-groups.ts'
import { hash, openDirectory, start } from './open-directory.ts'

const until = unixSeconds(start + 600)
const repository = 'models/acme/bert'
const bert: RepoRef = { type: 'model', namespace: 'acme', name: 'bert' }

const file = {
  accounts: [{ name: 'ada' }, { name: 'bob' }],
  namespaces: [
    {
      name: 'acme',
      members: { bob: 'read' },
      teams: {
        readers: { role: 'read', members: { ada: { until: at(until) } } },
        writers: { members: { ada: { until: at(start + 300) }, bob: { until: at(until) } } },
      },
    },
  ],
  repositories: [
    { type: 'model', id: 'acme/bert', branches: { main: hash(1) }, teams: { writers: 'write' } },
    { type: 'model', id: 'acme/open', visibility: 'public', branches: { main: hash(1) } },
  ],
  hubTokens: ['ada', 'bob'].map((account) => ({ account, name: 'laptop', kind: 'write' })),
}

interface Hub {
  /** The end of the token, or the code of the refusal. */
  ask(what: string, now: number): Promise<number | string>
}

async function openHub() {
  const directory = await openDirectory()
  const applied = await directory.apply(file)
  if (isRefusal(applied)) throw new Error(applied.detail)
  const secrets = new Map(applied.hubTokens.map(({ account, token }) => [account, token]))
  const newHub = (): Hub => {
    const issuing = issuingOver(directory.store.access)
    return {
      async ask(what, now) {
        const [account = '', scope, repo = repository] = what.split(' ')
        const target = `/api/${repo}/storage-${scope}-token/main`
        // Requests of one turn of the event loop count as simultaneous.
        await setImmediate()
        const bearer = `Bearer ${revealed(secrets.get(account))}`
        return endOf(await issue(issuing, { bearer, target, now: unixSeconds(now) }))
      },
    }
  }
  return { ...directory, newHub }
}

interface Asked {
  readonly bearer: string
  readonly target: string
  readonly now: UnixSeconds
}

/** As the hub does it: what is known, then fresh facts. */
async function issue(issuing: KnownDeps, { bearer, target, now }: Asked) {
  const sent = readSent([bearer])
  const key = keyOf(sent.hash ?? '', target)
  const path = parseTokenPath(target)
  if (path === undefined) throw new Error(`no token path: ${target}`)
  const known = tokens.issueKnown(key ?? '', now, issuing)?.minted
  const request = { path, address: () => '', now, sent, key }
  return known ?? (await tokens.issueAnew(request, issuing)).result
}

function endOf(result: Awaited<ReturnType<typeof issue>>): number | string {
  if (isRefusal(result)) return result.code
  const [, payload = ''] = result.accessToken.reveal().split('.')
  const claims = parseClaims(Buffer.from(payload, 'base64url').toString())
  expect(claims?.exp).toBe(result.exp)
  return result.exp
}

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
// conformance: Attacks / 78. An attacker profits from memberships that ended, or from wrong clocks
describe('a membership that ends', () => {
  test('gives no token that lives on, and none afterwards, with warm caches', async () => {
    const { newHub } = await openHub()
    const hub = newHub()
    // Twice: the second time it is worth remembering, the third time it is remembered.
    for (const now of [start, start + 1, start + 2, start + 290]) {
      expect(await hub.ask('ada read', now)).toBeLessThanOrEqual(until)
      expect(await hub.ask('ada write', now)).toBe(start + 300)
    }
    expect(await hub.ask('ada write', start + 300)).toBe('permission_denied')
    for (const now of [start + 300, start + 301, until - 1]) {
      expect(await hub.ask('ada read', now)).toBe(until)
    }
    expect(await hub.ask('ada read', until)).toBe('permission_denied')
    // What is public stays so, and the token is no shorter.
    expect(await hub.ask('ada read models/acme/open', until)).toBe(until + 900)
  })

  test('leaves the role that the account holds itself', async () => {
    const { newHub } = await openHub()
    const hub = newHub()
    for (const now of [start, start + 1, until - 1]) {
      expect(await hub.ask('bob write', now)).toBe(Math.min(until, now + 900))
    }
    expect(await hub.ask('bob write', until)).toBe('permission_denied')
    expect(await hub.ask('bob read', until)).toBe(until + 900)
  })

  test.each([0, -30, 30])(
    'ends at a hub whose clock is %d s off, and no token passes the end',
    async (skew) => {
      const { newHub } = await openHub()
      const [hub, cold] = [newHub(), newHub()]
      for (let now = until - 60; now < until; now += 7) {
        const ends = await hub.ask('ada read', now + skew)
        if (now + skew < until) expect(ends).toBe(until)
        else expect(ends).toBe('permission_denied')
      }
      for (const one of [hub, cold]) {
        expect(await one.ask('ada read', until - 1)).toBe(until)
        expect(await one.ask('ada read', until)).toBe('permission_denied')
      }
    },
  )

  test('leaves nothing of a private repository to be found', async () => {
    const { store, done } = await openHub()
    const { id } = await done('account show', { account: 'ada' })
    const find = (now: number) =>
      repositoryFinder(store.access, () => unixSeconds(now))(
        asAccountId(String(id)),
        bert,
        parseRevision('main'),
      )
    expect(await find(until - 1)).toMatchObject({ role: 'read', roleUntil: until })
    expect(await find(until)).toBe(closedRepository)
  })

  test('that is prolonged or ended earlier counts at once', async () => {
    const { newHub, done } = await openHub()
    const hub = newHub()
    const member = { namespace: 'acme', team: 'readers', account: 'ada' }
    await done('team-member delete', { ...member, team: 'writers' })
    for (const now of [start, start + 1, start + 2]) await hub.ask('ada read', now)
    await done('team-member set', { ...member, until: at(start + 60) })
    expect(await hub.ask('ada read', start + 3)).toBe(start + 60)
    await done('team-member set', { ...member, until: 'never' })
    expect(await hub.ask('ada read', start + 3)).toBe(start + 903)
  })
})

const day = 86_400

/** As long as the membership that a sign-in of the start gives. */
const dayEnd = unixSeconds(start + day)

async function openHubOfProvider() {
  const hub = await openHub()
  const { done, store } = hub
  const ada = { account: 'ada', issuer: 'https://login.example', subject: 'ada-1' }
  await done('account link', { ...ada, provider: 'corp' })
  await done('team create', { namespace: 'acme', team: 'staff', role: 'write' })
  await done('team-group set', {
    ...{ namespace: 'acme', team: 'staff', provider: 'corp', group: 'staff' },
  })
  for (const team of ['readers', 'writers']) {
    await done('team-member delete', { namespace: 'acme', team, account: 'ada' })
  }
  const signIn = (now: number, groups: readonly string[] | undefined = ['staff']) =>
    vouch(store.directory, { subject: 'ada-1', groups, now })
  const written = async () => {
    const { directory } = store
    const head = await directory.read((tables) =>
      tables.selectFrom('journal_head').select(['number', 'mark']).executeTakeFirstOrThrow(),
    )
    const cutOffs = await directory.read((tables) =>
      tables.selectFrom('cut_offs').selectAll().orderBy('id').execute(),
    )
    return { head, cutOffs }
  }
  return { ...hub, signIn, written }
}

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
describe('a membership from a provider', () => {
  test.each([0, -30, 30])(
    'ends at a hub whose clock is %d s off, with warm caches and nothing written',
    async (skew) => {
      const { newHub, signIn } = await openHubOfProvider()
      await signIn(start)
      const [hub, cold] = [newHub(), newHub()]
      for (const now of [start, start + 1, start + 2]) {
        expect(await hub.ask('ada write', now + skew)).toBe(now + skew + 900)
      }
      for (let now = dayEnd - 60; now < dayEnd; now += 7) {
        const ends = await hub.ask('ada write', now + skew)
        expect(ends).toBe(now + skew < dayEnd ? dayEnd : 'permission_denied')
      }
      for (const one of [hub, cold]) {
        expect(await one.ask('ada write', dayEnd - 1)).toBe(dayEnd)
        expect(await one.ask('ada write', dayEnd)).toBe('permission_denied')
      }
    },
  )

  test.each([0, -30, 30])(
    'that is renewed goes on at a hub whose clock is %d s off, with no entry and no emptied cache',
    async (skew) => {
      const { newHub, signIn, written } = await openHubOfProvider()
      await signIn(start)
      const hub = newHub()
      for (const now of [start, start + 1, start + 2]) await hub.ask('ada write', now + skew)
      const before = await written()
      await signIn(start + day / 2)
      expect(await written()).toEqual(before)
      for (let now = dayEnd - 700; now < dayEnd + 60; now += 50) {
        // No token becomes shorter than the time in which the hub reads again.
        expect(await hub.ask('ada write', now + skew)).toBeGreaterThan(now + skew + 300)
      }
      expect(await hub.ask('ada write', dayEnd + day / 2 + 30)).toBe('permission_denied')
    },
  )

  test('that has ended, or may have at a hub, is renewed with an entry that every hub sees', async () => {
    const { newHub, signIn, written } = await openHubOfProvider()
    await signIn(start)
    const hub = newHub()
    for (const now of [dayEnd, dayEnd + 1, dayEnd + 2]) {
      expect(await hub.ask('ada write', now)).toBe('permission_denied')
    }
    const before = await written()
    // By the clock of another hub.
    await signIn(dayEnd - 30)
    expect((await written()).head.number).toBeGreaterThan(before.head.number)
    expect((await written()).cutOffs).toEqual(before.cutOffs)
    expect(await hub.ask('ada write', dayEnd + 3)).toBe(dayEnd + 903)
  })

  test('ends at once when a sign-in is without the group, and at its end when the provider may be silent', async () => {
    const { newHub, signIn, store } = await openHubOfProvider()
    const hub = newHub()
    await signIn(start)
    for (const now of [start, start + 1, start + 2]) await hub.ask('ada write', now)
    const keeping = { ...corp, missingGroups: 'keep' } as const
    const silent = { subject: 'ada-1', groups: undefined, now: start + 3 }
    await vouch(store.directory, { ...silent, provider: keeping })
    expect(await hub.ask('ada write', start + 3)).toBe(start + 903)
    expect(await hub.ask('ada write', dayEnd)).toBe('permission_denied')
    await vouch(store.directory, silent)
    expect(await hub.ask('ada write', start + 3)).toBe('permission_denied')
  })

  test('and a local one stand beside each other: the longer one and the stronger one count', async () => {
    const { newHub, signIn, done } = await openHubOfProvider()
    const hub = newHub()
    const local = { namespace: 'acme', team: 'staff', account: 'ada' }
    await done('team-member set', { ...local, until: at(start + 60) })
    await signIn(start)
    expect(await hub.ask('ada write', start)).toBe(start + 900)
    await done('team-member set', { ...local, until: at(dayEnd + 600) })
    expect(await hub.ask('ada write', dayEnd)).toBe(dayEnd + 600)
    // Without the group, the local one is as it was.
    await signIn(start + 10, [])
    expect(await hub.ask('ada write', dayEnd)).toBe(dayEnd + 600)
    expect(await done('team-member list', { namespace: 'acme', team: 'staff' })).toMatchObject({
      items: [{ account: 'ada', until: at(dayEnd + 600).replace('.000', '') }],
    })
    await done('team-member delete', local)
    expect(await hub.ask('ada write', start + 10)).toBe('permission_denied')
  })
})

function at(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

function revealed(secret: unknown): string {
  return (secret as { reveal(): string }).reveal()
}

/** The pages on which an administrator of a namespace manages it: what they change, and what stays out of their reach. */

import { parametersOf } from '@latchkey/admin-api'
import type { HubTokenId } from '@latchkey/protocol'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { changesOf, places, verbCalled } from '../../src/namespace-pages/places.ts'
import { namespaceChangesPerHour } from '../../src/sign-in/account-limits.ts'
import { isSessionFresh } from '../../src/sign-in/session-port.ts'
import { isDelegated } from '../../src/verbs/delegation.ts'
import { inputs } from '../journal/arbitrary-steps.ts'
import { isLed, outside, twoNamespaces } from '../verbs/two-namespaces.ts'
import { asByProvider, csrfOf, type Seen, signIn, submit, visit } from './browser.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 100 : 8

const hubTokens = [
  ...twoNamespaces.hubTokens,
  ...['ada', 'cyd', 'root'].map((account) => ({ account, name: 'write', kind: 'write' })),
  { account: 'ada', name: 'read', kind: 'read' },
]

let world: World
let cookie: string
let csrf: string
beforeEach(async () => {
  world = await startWorld({ ...twoNamespaces, hubTokens })
  await signInAs('ada/write')
})
afterEach(() => world.close())

async function signInAs(token: string): Promise<void> {
  await signInByHubToken(token)
  await asByProvider(world)
}

async function signInByHubToken(token: string): Promise<void> {
  cookie = await signIn(world, token)
  csrf = await csrfOf(world, cookie)
}

const acme = '/account/namespaces/acme'
const bert = `${acme}/repositories/models/bert`

type Form = Readonly<Record<string, string>>

function post(path: string, verb: string, form: Form = {}): Promise<Seen> {
  return submit(world, path, { csrf, verb, ...form }, { cookie })
}

const look = (path: string) => visit(world, path, { cookie })

describe('the pages of a namespace', () => {
  test('are found on the page of the account by those who manage it', async () => {
    expect((await look('/account')).text).toContain(`<a href="${acme}">acme</a>`)
    expect((await look('/account')).text).not.toContain('/account/namespaces/beta')
  })

  test('list and change its members, teams and repositories, and lead back', async () => {
    const changes: readonly [string, string, Form, string, string][] = [
      [acme, 'member set', { account: 'eve', role: 'write' }, acme, 'eve'],
      [acme, 'team create', { team: 'new', role: 'read' }, acme, `${acme}/teams/new`],
      [`${acme}/teams/new`, 'team-member set', { account: 'eve' }, `${acme}/teams/new`, 'eve'],
      [acme, 'repo create', { repository: 'models/acme/new' }, acme, 'models/acme/new'],
      [bert, 'collaborator set', { account: 'cyd', role: 'read' }, bert, 'cyd'],
      [bert, 'team-role set', { team: 'new', role: 'write' }, bert, 'new'],
      [bert, 'ref-rule set', { pattern: 'main', write: 'admin' }, bert, 'main'],
      [bert, 'repo set', { visibility: 'public' }, acme, 'public'],
    ]
    for (const [path, verb, form, page, shown] of changes) {
      const done = await post(path, verb, form)
      expect([done.status, done.location], verb).toEqual([303, path])
      expect((await look(page)).text, verb).toContain(shown)
    }
    await post(acme, 'member delete', { account: 'eve' })
    expect((await look(acme)).text).not.toContain('<td>eve</td>')
  })

  test('delete a repository or a team only when its name is typed', async () => {
    for (const repository of ['', 'models/acme/other', 'datasets/beta/set']) {
      expect((await post(bert, 'repo delete', { repository })).status).toBe(400)
    }
    const done = await post(bert, 'repo delete', { repository: 'models/acme/bert' })
    expect([done.status, done.location]).toEqual([303, acme])
    const team = `${acme}/teams/curators`
    expect((await post(team, 'team delete')).status).toBe(400)
    expect((await post(team, 'team delete', { team: 'curators' })).location).toBe(acme)
  })

  test('show a trusted publisher, and delete it with its hub tokens', async () => {
    const publisher = { repository: 'models/acme/bert', publisher: 'release' }
    const rule = { preset: 'other', issuer: 'https://ci.example', claims: ['sub=job'] }
    await world.done('publisher create', { ...publisher, ...rule, contents: 'read' })
    expect((await look(bert)).text).toContain('sub=job')
    await post(bert, 'publisher delete', { publisher: 'release' })
    expect((await look(bert)).text).not.toContain('sub=job')
  })

  test('show the quota of the namespace, and divide it among its repositories', async () => {
    await world.done('namespace set', { namespace: 'acme', quota: '500MB' })
    expect((await post(acme, 'namespace set', { quota: '600MB' })).status).toBe(400)
    expect((await post(bert, 'repo set', { quota: '200MB' })).location).toBe(bert)
    expect((await post(bert, 'repo set', { quota: '501MB' })).status).toBeGreaterThanOrEqual(400)
    const { text } = await look(acme)
    expect(text).toContain('<td>500000000</td><td>200000000</td>')
  })

  test('change so much in an hour and no more, of which each session has its own', async () => {
    const nothing = () => post(acme, 'member set')
    for (let count = 0; count < namespaceChangesPerHour; count += 1) {
      expect((await nothing()).status).toBe(400)
    }
    expect((await nothing()).status).toBe(429)
    expect((await look(acme)).status).toBe(200)
    await signInAs('ada/write')
    expect((await nothing()).status).toBe(400)
  })

  test('are written to the journal and to the log with the account and the session', async () => {
    await post(acme, 'member set', { account: 'eve', role: 'write' })
    const [row] = await world.store.readBeside((tables) =>
      tables.selectFrom('hub_tokens').select('id').where('origin', '=', 'session').execute(),
    )
    const { items } = Object(await world.done('changes', { limit: 1000 }))
    expect(items.at(-1)).toMatchObject({
      verb: 'member set',
      actor: { account: 'ada', hubToken: row?.id },
    })
    const logged = world.logLines.find((line) => line.includes('"member set"')) ?? ''
    expect(JSON.parse(logged)).toMatchObject({ account: 'ada', hubToken: row?.id, outcome: 'done' })
  })

  test('escape hostile names, and run no script', async () => {
    const hostile = '"><script>alert(1)</script>'
    await post(bert, 'ref-rule set', { pattern: hostile, write: 'admin' })
    for (const path of [
      ...[bert, `/account/namespaces/${encodeURIComponent(hostile)}`],
      `${acme}/teams/${encodeURIComponent(hostile)}`,
      `${acme}/repositories/models/${encodeURIComponent(hostile)}`,
    ]) {
      const { text } = await look(path)
      expect(text, path).not.toContain('<script')
    }
    const answer = await fetch(world.hub.url + acme, { headers: { cookie } })
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/)
  })

  test('refuse the last administrator to leave', async () => {
    const seen = await post(acme, 'member delete', { account: 'ada' })
    expect([seen.status, seen.text.includes('without an administrator')]).toEqual([409, true])
  })
})

async function idOf(name: string): Promise<HubTokenId> {
  const row = await world.store.readBeside((tables) =>
    tables
      .selectFrom('hub_tokens')
      .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
      .select('hub_tokens.id')
      .where('accounts.name', '=', 'ada')
      .where('hub_tokens.name', '=', name)
      .executeTakeFirstOrThrow(),
  )
  return row.id
}

/** Of the one that was opened with a hub token. */
async function sessionId(): Promise<HubTokenId> {
  const row = await world.store.readBeside((tables) =>
    tables
      .selectFrom('sessions')
      .select('hub_token_id')
      .where('maker_id', 'is not', null)
      .executeTakeFirstOrThrow(),
  )
  return row.hub_token_id
}

describe('a browser without the right for it', () => {
  const member = { account: 'eve', role: 'admin' }

  async function changesNothing(send: () => Promise<Seen>, status: number): Promise<void> {
    const list = () => world.done('member list', { namespace: 'acme' })
    const before = await list()
    expect((await send()).status).toBe(status)
    expect(await list()).toEqual(before)
  }

  test('learns nothing about namespaces of others', async () => {
    const other = await look('/account/namespaces/beta')
    const absent = await look('/account/namespaces/nowhere')
    expect([other.status, absent.status]).toEqual([403, 403])
    expect(other.text.replaceAll('beta', 'X')).toBe(absent.text.replaceAll('nowhere', 'X'))
  })

  test('is led to a new sign-in when the old one is not fresh', async () => {
    world.passSeconds(15 * 60)
    const again = `/login?fresh=1&next=${encodeURIComponent(acme)}`
    expect((await look(acme)).location).toBe(again)
    await changesNothing(() => post(acme, 'member set', member), 303)
    await signInAs('ada/read')
    await changesNothing(() => post(acme, 'member set', member), 303)
    expect((await visit(world, acme)).location).toBe(`/login?next=${encodeURIComponent(acme)}`)
  })

  // conformance: Attacks / 77. An administrator of a namespace reaches beyond it
  test('manages nothing with a session from a hub token, which may have leaked', async () => {
    await signInByHubToken('ada/write')
    expect((await look('/account')).text).not.toContain('/account/namespaces')
    for (const path of [acme, bert, `${acme}/teams/curators`, '/account/namespaces/beta']) {
      const seen = await look(path)
      expect([seen.status, seen.text.includes('admin hub token of the namespace')]).toEqual([
        403,
        true,
      ])
    }
    await changesNothing(() => post(acme, 'member set', member), 403)
    const rule = { preset: 'other', issuer: 'https://ci.example', claims: 'sub=job' }
    const publisher = { publisher: 'release', ...rule, contents: 'read' }
    expect((await post(bert, 'publisher create', publisher)).status).toBe(403)
    world.passSeconds(15 * 60)
    await changesNothing(() => post(acme, 'member set', member), 403)
  })

  test('changes nothing by a form of another site or session', async () => {
    const form = { csrf, verb: 'member set', ...member }
    const foreign = { 'sec-fetch-site': 'cross-site' }
    await changesNothing(() => submit(world, acme, form, { cookie, headers: foreign }), 400)
    await changesNothing(() => submit(world, acme, { ...form, csrf: '' }, { cookie }), 400)
    const cyd = await csrfOf(world, await signIn(world, 'cyd/write'))
    await changesNothing(() => submit(world, acme, { ...form, csrf: cyd }, { cookie }), 400)
  })

  test('changes nothing once the role is lost, or as an administrator of the hub alone', async () => {
    await signInAs('root/write')
    await changesNothing(() => post(acme, 'member set', member), 403)
    await signInAs('ada/write')
    await world.done('member set', { namespace: 'acme', account: 'bob', role: 'admin' })
    await world.done('member set', { namespace: 'acme', account: 'ada', role: 'write' })
    await changesNothing(() => post(acme, 'member set', member), 403)
  })

  test.each<readonly [string, () => unknown]>([
    [
      'its hub token',
      async () => world.done('hub-token revoke', { hubToken: await idOf('write') }),
    ],
    ['the session', async () => world.done('hub-token revoke', { hubToken: await sessionId() })],
    ['the account', () => world.done('account set', { account: 'ada', disabled: true })],
    ['the 15 minutes', () => world.passSeconds(15 * 60)],
  ])('changes nothing in the transaction that begins after the end of %s', async (_, end) => {
    await signInByHubToken('ada/write')
    const id = await sessionId()
    const isFresh = () =>
      world.store.readBeside((tables) => isSessionFresh(tables, id, world.now()))
    expect(await isFresh()).toBe(true)
    await end()
    expect(await isFresh()).toBe(false)
  })

  test('has no form for a verb that the page does not show', async () => {
    await changesNothing(() => post(acme, 'hub-token create', { account: 'ada', name: 'x' }), 400)
    await changesNothing(() => post(bert, 'member set', member), 400)
  })
})

test('every form of the pages is of a delegated verb, and its fields are texts, choices or boxes to tick', () => {
  for (const place of places) {
    for (const words of changesOf(place)) {
      expect(isDelegated({ words }), words).toBe(true)
      const forms = parametersOf(verbCalled(words)).map(({ form }) => form)
      expect(forms.filter((form) => !['text', 'switch'].includes(form))).toEqual([])
    }
  }
})

test(`whatever is sent to the pages of a namespace, everything outside stays as it is, in ${runs} histories`, async () => {
  const verbs = [...new Set([...places.flatMap(changesOf), 'account set', 'hub-token create'])]
  const path = fc.constantFrom(
    ...[acme, `${acme}/teams/curators`, `${acme}/teams/chiefs`, bert],
    ...['/account/namespaces/beta', `${acme}/repositories/datasets/set`],
    `${acme}/repositories/models/..%2F..%2Fbeta%2Fset`,
  )
  const step = fc
    .constantFrom(...verbs)
    .chain((verb) =>
      fc.record({ verb: fc.constant(verb), path, input: inputs[verb] ?? fc.constant({}) }),
    )
  let done = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      const before = await outside(world)
      for (const { verb, path: at, input } of steps) {
        const form = Object.entries(input).map(([member, value]) => [member, String(value)])
        const { status } = await post(at, verb, Object.fromEntries(form))
        expect(status).toBeLessThan(500)
        if (status === 303) done += 1
      }
      expect(await outside(world)).toEqual(before)
      expect(await isLed(world)).toBe(true)
    }),
    { numRuns: runs },
  )
  expect(done).toBeGreaterThan(0)
})

/** Groups of a real OpenID provider as members of teams: by sign-ins, and when the hub asks again. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type RunningHub, type Store, startHub } from '@latchkey/hub'
import { unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { loadMasterKey } from '../../src/keys/master-key.ts'
import { openProviders } from '../../src/sign-in/open-providers.ts'
import { readProviders } from '../../src/sign-in/provider-settings.ts'
import { renewMemberships } from '../../src/sign-in/renew-memberships.ts'
import { startProvider, type TestProvider, Visitor } from './provider.ts'

const publicUrl = 'https://hub.example'
const repository = 'models/acme/bert'
const day = 86_400

let corp: TestProvider
let hub: RunningHub
let store: Store
let data: string
let aheadSeconds = 0
const lines: string[] = []
const clock = () => unixSeconds(Math.floor(Date.now() / 1000) + aheadSeconds)
const log = (event: string, members: object) => lines.push(JSON.stringify({ event, ...members }))

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'latchkey-groups-'))
  const callback = (name: string) => `${publicUrl}/login/${name}/callback`
  corp = await startProvider([callback('corp'), callback('calm')])
  const settings = settingsOf()
  hub = await startHub(settings, {
    clock,
    lines: { write: (line) => lines.push(line), async close() {} },
  })
  store = await openStore(settings, { create: false })
  await run('namespace create', { name: 'acme' })
  await run('repo create', { repository })
  await run('team create', { namespace: 'acme', team: 'staff', role: 'write' })
  for (const provider of ['corp', 'calm']) {
    await run('team-group set', { namespace: 'acme', team: 'staff', provider, group: '/staff' })
  }
})
afterAll(async () => {
  await hub?.stop()
  await store?.close()
  await corp?.close()
  rmSync(data, { recursive: true, force: true })
})

beforeEach(async () => {
  aheadSeconds = 0
  lines.length = 0
  corp.intercept = undefined
  corp.leavers.clear()
  corp.people.clear()
  // Of the test before.
  await store.directory.note('provider token', async ({ tables }) => {
    await tables.deleteFrom('provider_tokens').execute()
    await tables.deleteFrom('leases').execute()
    return undefined
  })
})

function settingsOf() {
  const clientSecretFile = join(data, 'client-secret')
  writeFileSync(clientSecretFile, `${corp.clientSecret}\n`)
  const common = {
    ...{ issuer: corp.issuer, clientId: corp.clientId, clientSecretFile },
    offlineAccess: 'consent' as const,
    ...{ scopes: ['openid', 'profile'], nameClaim: 'preferred_username', groupsClaim: 'groups' },
    ...{ groups: [], claims: { email_verified: true } },
  }
  return testSettings(data, {
    identity: {
      providers: [
        { ...common, name: 'corp' },
        { ...common, name: 'calm', missingGroups: 'keep' },
      ],
    },
  })
}

async function run(words: string, input: object) {
  return verbRunner({ ...store, data }, clock)(words, input)
}

class Browser extends Visitor {
  override get(url: string): Promise<Response> {
    return super.get(url.replace(publicUrl, hub.url))
  }
}

function person(name: string, groups?: readonly string[]) {
  const claims = { preferred_username: name, email_verified: true, ...(groups && { groups }) }
  corp.people.set(`${name}-1`, claims)
}

async function signIn(name: string, provider = 'corp') {
  const browser = new Browser()
  const isBack = (url: string) => url.includes('/callback')
  const form = await browser.follow(`${publicUrl}/login/${provider}`, (url) => !isBack(url))
  const { url } = await browser.follow(`${form.url}?account=${name}-1`, (one) => !isBack(one))
  const { status } = await browser.get(url)
  expect(status).toBe(303)
  return async () => (await browser.get(`${publicUrl}/account`)).status
}

/** What an administrator reads about the access of an account. */
async function accessOf(account: string): Promise<string> {
  const { allowed, steps } = (await run('explain', { account, scope: 'write', repository })) as {
    allowed: boolean
    steps: readonly { step: string; detail: string }[]
  }
  const why = steps.find(({ step }) => step === 'account')?.detail ?? ''
  return `${allowed} ${/the role comes through the team (.*)$/.exec(why)?.[1] ?? ''}`.trim()
}

function until(from: number): string {
  return new Date((from + day) * 1000).toISOString().replace('.000', '')
}

/** As the hub does it by itself every 30 s. */
function newHub() {
  const renewal = renewMemberships({
    ...{ directory: store.directory, clock, randomBytes: pooledRandom(), log },
    configured: openProviders(readProviders(settingsOf().identity?.providers ?? []), clock),
    masterKey: loadMasterKey(data, { mayMake: false }),
    ...{ maxAgeSeconds: day, holder: `test ${Math.random()}` },
  })
  onTestFinished(() => renewal.stop())
  return renewal
}

/** The sessions go on. */
async function passHalfADay() {
  aheadSeconds += day * 0.6
  await store.directory.note('session seen', async ({ tables }) => {
    await tables.updateTable('sessions').set({ last_seen_at: clock() }).execute()
    return undefined
  })
}

function refreshes(): number[] {
  const statuses: number[] = []
  corp.intercept = (_, response) => {
    response.once('finish', () => statuses.push(response.statusCode))
    return false
  }
  return statuses
}

describe('the groups of a provider', () => {
  test('make members at a sign-in, until a day later, and end a membership at the next one', async () => {
    person('ada', ['/staff', 'others'])
    await signIn('ada')
    const signedInAt = clock()
    const access = await accessOf('ada')
    expect(access).toMatch(
      /^true acme\/staff \(by the group "\/staff" of the provider "corp", until /,
    )
    expect([until(signedInAt), until(signedInAt - 1), until(signedInAt - 2)]).toContain(
      /until (\S+)\)$/.exec(access)?.[1],
    )
    aheadSeconds = day - 30
    expect(await accessOf('ada')).toContain('true')
    aheadSeconds = day + 1
    expect(await accessOf('ada')).toBe('false')
    aheadSeconds = 0
    person('ada', ['Staff', 'staff', '/staff/'])
    await signIn('ada')
    expect(await accessOf('ada')).toBe('false')
  })

  test.each([
    ['corp', 'ends the membership', 'false'],
    ['calm', 'by option leaves it to its end', 'true acme/staff'],
  ])('that are missing from an answer of %s: that %s', async (provider, _, access) => {
    const name = `missing-${provider}`
    person(name, ['/staff'])
    await signIn(name, provider)
    expect(await accessOf(name)).toContain('true')
    person(name)
    await signIn(name, provider)
    expect(await accessOf(name)).toContain(access)
    person(name, ['/staff'])
    await signIn(name, provider)
    await passHalfADay()
    person(name)
    await newHub().renew()
    expect(await accessOf(name)).toContain(access)
    aheadSeconds += day
    expect(await accessOf(name)).toBe('false')
  })

  test('are asked for again with a refresh token that changes, by one hub of two', async () => {
    person('bob', ['/staff'])
    const status = await signIn('bob')
    const [one, two] = [newHub(), newHub()]
    for (const _ of [1, 2, 3]) {
      await passHalfADay()
      const statuses = refreshes()
      await Promise.all([one.renew(), two.renew()])
      expect(statuses).toEqual([200])
      expect(await accessOf('bob')).toContain(`true acme/staff`)
    }
    person('bob', [])
    await passHalfADay()
    await Promise.all([one.renew(), two.renew()])
    expect(await accessOf('bob')).toBe('false')
    expect(await status()).toBe(200)
    const tables = JSON.stringify(
      await store.directory.read((tables) =>
        tables.selectFrom('provider_tokens').selectAll().execute(),
      ),
    )
    expect(tables).toContain('bob-1')
    expect(`${tables}${lines.join('')}`).not.toMatch(/refresh_token|eyJ/)
  })

  test('end with the sessions of a person whose refresh token the provider refuses', async () => {
    person('cyd', ['/staff'])
    person('dan', ['/staff'])
    const [cyd, dan] = [await signIn('cyd'), await signIn('dan')]
    await passHalfADay()
    corp.leavers.add('cyd-1')
    await newHub().renew()
    expect([await cyd(), await dan()]).toEqual([303, 200])
    expect([await accessOf('cyd'), (await accessOf('dan')).slice(0, 4)]).toEqual(['false', 'true'])
    expect(lines.join('')).toContain('"reason":"error invalid_grant"')
  })

  test('stay as they are while the provider is down', async () => {
    person('eve', ['/staff'])
    const status = await signIn('eve')
    await passHalfADay()
    corp.intercept = (_, response) => {
      response.writeHead(503).end('down')
      return true
    }
    await newHub().renew()
    expect(await accessOf('eve')).toContain('true')
    expect(await status()).toBe(200)
    corp.intercept = undefined
    aheadSeconds += 900
    await newHub().renew()
    aheadSeconds += day - 1000
    expect(await accessOf('eve')).toContain('true')
  })
})

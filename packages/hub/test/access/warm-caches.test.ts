/** Warm caches decide as the database does, and sign-ins leave them warm. */

import {
  type HubTokenOrigin,
  isRefusal,
  parseRevision,
  parseTokenPath,
  type Secret,
} from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { rounds } from '@latchkey/testing/chance'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { parseClaims } from '@latchkey/token'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AccessStore } from '../../src/access/access-store.ts'
import { accessOf } from '../../src/access/find-access.ts'
import { hashHubToken, makeHubToken } from '../../src/identity/hub-token.ts'
import { readSent } from '../../src/identity/read-credential.ts'
import { type KnownDeps, keyOf, tokens } from '../../src/issue/with-known.ts'
import type { Store } from '../../src/stores/store.ts'
import { ownedHubTokens, revokeOwned, splitOwned } from '../../src/tables/columns.ts'
import { makeHubTokenRow } from '../../src/verbs/hub-token-rows.ts'
import { issuingOver } from '../issue/issuing-over.ts'
import { inputs } from '../journal/arbitrary-steps.ts'
import { isOnPostgres, openDatabase } from '../stores/test-store.ts'
import { type Opened, openDirectoryOn, start } from '../verbs/open-directory.ts'
import { nextTurn, repo } from './fake-store.ts'

const file = {
  accounts: [{ name: 'ada', administrator: true }, { name: 'bob' }],
  namespaces: [
    { name: 'acme', members: { ada: 'write' }, teams: { curators: { members: { bob: {} } } } },
  ],
  repositories: [
    {
      ...{ type: 'model', id: 'acme/bert', visibility: 'private' },
      branches: { main: commit('1'), dev: commit('2') },
      collaborators: { bob: 'write' },
      teams: { curators: 'read' },
    },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

const origins = ['session', 'device', 'ci', 'self', 'admin'] as const satisfies HubTokenOrigin[]
const targets = ['read-token/main', 'write-token/main', 'read-token/dev'].map(
  (end) => `/api/models/acme/bert/storage-${end}`,
)

/** Several hubs on one database. In PostgreSQL another one hears of changes a little later. */
async function opened(count: number) {
  const database = await openDatabase()
  const stores: Store[] = []
  for (let index = 0; index < count; index += 1) stores.push(await database.open())
  onTestFinished(() => database.finish(stores))
  const [store] = stores
  if (store === undefined) throw new Error('no store')
  const directory = openDirectoryOn(store)
  await directory.done('apply', { file })
  return { stores, directory, store }
}

const randomBytes = pooledRandom()

interface Wish {
  readonly account: string
  readonly origin: HubTokenOrigin
  /** A secret that somebody may have tried before. */
  readonly secret?: Buffer
}

/** As a sign-in or an exchange does it. */
async function addToken(
  { store, now }: Pick<Opened, 'store' | 'now'>,
  { account: name, origin, secret }: Wish,
): Promise<Secret<'hub-token'> | undefined> {
  const made = await store.directory.change(async ({ tables, putAs }) => {
    const account = await tables
      .selectFrom('accounts')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
    if (account === undefined) return undefined
    const secretBytes = secret === undefined ? randomBytes : () => secret
    const work = { tables, now, randomBytes, hubTokenPrefix: 'lk_', secretBytes }
    const { row, token } = makeHubTokenRow(work, account, {
      ...{
        name: `made-${randomBytes(8).toString('hex')}`,
        kind: 'write',
        origin,
        expiresAt: { at: null },
      },
    })
    const there = tables.selectFrom('hub_tokens').select('id')
    const before = await there.where('secret_hash', '=', row.secret_hash).executeTakeFirst()
    if (before === undefined)
      await putAs({ verb: 'test' })([{ thing: 'hub-token', after: row, account }])
    return token
  })
  return isRefusal(made) ? undefined : made
}

/** A store that counts the questions that reach the database. */
function counting(store: AccessStore) {
  let count = 0
  const counted: AccessStore = {
    ...store,
    find(question) {
      count += 1
      return store.find(question)
    },
  }
  const taken = () => {
    const before = count
    count = 0
    return before
  }
  return { store: counted, taken }
}

const question = (hash: string) => ({
  now: start,
  hubTokenHash: hash,
  repo: repo('models/acme/bert'),
  revision: parseRevision('main'),
})

describe('a sign-in', () => {
  test('leaves what hubs on this database remember, whatever it makes', async () => {
    const { stores, directory, store } = await opened(2)
    const token = await addToken(directory, { account: 'ada', origin: 'admin' })
    const hash = hashHubToken(token as Secret<'hub-token'>)
    const hubs = stores.map(({ access }) => {
      const { store: counted, taken } = counting(access)
      return { access: accessOf(counted), taken, version: access.version }
    })
    const ask = async () => {
      const { number } = store.access.version()
      for (const { access, version } of hubs) {
        await expect.poll(() => version().number).toBeGreaterThanOrEqual(number)
        await access.findAccess(question(hash))
      }
      return hubs.map(({ taken }) => taken())
    }
    await ask()
    await ask()
    expect(await ask()).toEqual([0, 0])
    for (const origin of ['session', 'device', 'ci', 'self'] as const) {
      await addToken(directory, { account: 'bob', origin })
      expect(await ask(), origin).toEqual([0, 0])
    }
    await addToken(directory, { account: 'bob', origin: 'admin' })
    expect(await ask()).toEqual([1, 1])
  })

  test('is known at once where its hub token was tried before', async () => {
    const { directory, store } = await opened(1)
    const secret = Buffer.from(randomBytes(32))
    const hash = hashHubToken(makeHubToken('lk_', () => secret))
    const access = accessOf(store.access)
    expect(isRefusal((await access.findAccess(question(hash))).caller)).toBe(true)
    await addToken(directory, { account: 'ada', origin: 'self', secret })
    await nextTurn()
    expect((await access.findAccess(question(hash))).caller).toMatchObject({ accountName: 'ada' })
  })
})

type Act =
  | { readonly do: 'verb'; readonly words: string; readonly input: object }
  | { readonly do: 'add'; readonly nth: number; readonly account: string }
  | { readonly do: 'revoke' | 'end' | 'delete'; readonly nth: number }

const verbs = [
  ...['account set', 'account delete', 'member set', 'member delete', 'repo set', 'repo delete'],
  ...['repo create', 'collaborator set', 'collaborator delete', 'team-role set', 'ref set'],
  ...['team-member delete', 'team-role delete', 'ref-rule set', 'ref delete', 'ref-rule delete'],
]

const arbitraryAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...verbs)
      .chain((words) =>
        (inputs[words] ?? fc.constant({})).map((input) => ({ do: 'verb' as const, words, input })),
      ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      nth: fc.nat({ max: 2 * origins.length - 1 }),
      account: fc.constantFrom('ada', 'bob'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('revoke' as const, 'end' as const, 'delete' as const),
      nth: fc.nat({ max: 20 }),
    }),
  },
)

async function run(act: Act, directory: Opened, secrets: readonly Buffer[]): Promise<void> {
  if (act.do === 'verb') return void (await directory.run(act.words, act.input))
  if (act.do === 'add') {
    const [origin, secret] = [origins[act.nth % origins.length], secrets[act.nth]]
    if (origin === undefined || secret === undefined) throw new Error('no such hub token')
    return void (await addToken(directory, { account: act.account, origin, secret }))
  }
  await directory.store.directory.change(async ({ tables, putAs }) => {
    const rows = await ownedHubTokens(tables).orderBy('hub_tokens.secret_hash').execute()
    const owned = rows[act.nth % Math.max(1, rows.length)]
    if (owned === undefined) return
    const { row, account } = splitOwned(owned)
    const ended = { ...row, expires_at: directory.now - 1 }
    await putAs({ verb: 'test' })([
      act.do === 'revoke'
        ? revokeOwned(owned, directory.now)
        : { thing: 'hub-token', before: row, account, ...(act.do === 'end' && { after: ended }) },
    ])
  })
}

async function decided(bearer: string, target: string, issuing: KnownDeps): Promise<unknown> {
  const sent = readSent([bearer])
  const key = keyOf(sent.hash ?? '', target)
  const path = parseTokenPath(target)
  if (path === undefined || key === undefined) throw new Error(`no token path: ${target}`)
  const known = tokens.issueKnown(key, start, issuing)?.minted
  const request = { path, address: () => '', now: start, sent, key }
  const result = known ?? (await tokens.issueAnew(request, issuing)).result
  if (isRefusal(result)) return result.code
  const [, payload = ''] = result.accessToken.reveal().split('.')
  const { sub, client_id, scope, repo, ref, aud } =
    parseClaims(Buffer.from(payload, 'base64url').toString()) ?? {}
  return { sub, client_id, scope, repo, ref, aud, exp: result.exp }
}

test('hubs with warm caches decide as one without, after any history of changes', async () => {
  const secrets = Array.from({ length: 2 * origins.length }, () => Buffer.from(randomBytes(32)))
  const bearers = secrets.map((secret) => `Bearer ${makeHubToken('lk_', () => secret).reveal()}`)
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryAct, { minLength: 10, maxLength: 25 }), async (acts) => {
      const { stores, directory } = await opened(isOnPostgres ? 1 : 2)
      const hubs = stores.map(({ access }) => issuingOver(access))
      for (const act of acts) {
        await run(act, directory, secrets)
        await nextTurn()
        const fresh = issuingOver(directory.store.access)
        for (const bearer of bearers) {
          for (const target of targets) {
            const expected = await decided(bearer, target, fresh)
            for (const hub of hubs) {
              expect(await decided(bearer, target, hub), act.do).toEqual(expected)
            }
          }
        }
      }
    }),
    { numRuns: rounds(isOnPostgres ? 1 : 3, 60) },
  )
})

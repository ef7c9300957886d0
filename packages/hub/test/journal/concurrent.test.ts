/** Changes that several hubs make at once end as if they had been made one after the other, in the order of the journal. */

import { readInput, verbs } from '@latchkey/admin-api'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { rounds } from '@latchkey/testing/chance'
import { testKeyWork } from '@latchkey/testing/hub/key-work'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import { runVerb } from '../../src/run-verb/run-verb.ts'
import type { Store } from '../../src/stores/store.ts'
import type { Reading } from '../../src/tables/directory.ts'
import type { JournalRow } from '../../src/tables/rows.ts'
import { believed } from '../revocation/pretended-token.ts'
import {
  databaseInFile,
  isOnPostgres,
  openDatabase,
  type TestDatabase,
} from '../stores/test-store.ts'
import { inputs } from './arbitrary-steps.ts'
import { beginning } from './beginning.ts'

const histories = rounds(200, 10_000)
/** Two hubs meet in short ones already. */
const lengths = { minLength: 3, maxLength: rounds(4, 24) }
const nowMs = Date.UTC(2030, 0, 1)
const now = unixSeconds(nowMs / 1000)
const randomBytes = pooledRandom()

interface Wanted {
  readonly words: string
  readonly input: object
}

if (beginning.do !== 'verb') throw new Error('a history begins with a verb')
const start: Wanted = beginning

/** A hub token by its name, because which number it has depends on the order. */
const hubToken = fc.constantFrom('ada/laptop', 'bob/ci', 'bob/laptop')
const byOrder = /^(?:keys |hub-token (?:set|revoke)|revoke hub-token)/
const arbitraryVerb: fc.Arbitrary<Wanted> = fc.oneof(
  ...Object.entries(inputs)
    .filter(([words]) => !byOrder.test(words))
    .map(([words, input]) => fc.record({ words: fc.constant(words), input })),
  fc.record({
    words: fc.constantFrom('hub-token revoke', 'revoke hub-token'),
    input: fc.record({ hubToken }),
  }),
)

async function run(store: Store, { words, input }: Wanted, requestId: string): Promise<boolean> {
  const verb = verbs.find((row) => row.words === words)
  if (verb === undefined) throw new Error(`no verb ${words}`)
  const read = readInput(verb.input, input)
  if (isRefusal(read)) return false
  const answer = await runVerb(verb, read, {
    directory: store.directory,
    findRepository: repositoryFinder(store.access, () => now),
    now,
    randomBytes,
    hubTokenPrefix: 'lk_',
    policy: { hidePrivateRepositories: false },
    keys: testKeyWork(),
    verifyOwnToken: believed,
    providers: [],
    repositoriesPerNamespace: 10_000,
    actor: async () => undefined,
    requestId,
  })
  return !isRefusal(answer)
}

/** Everything by name: ids are random. */
async function stateOf(tables: Reading) {
  const [entries, accounts, members, repositories, collaborators, refs, holders, past, tokens] = [
    await tables.selectFrom('journal').selectAll().orderBy('number').execute(),
    await tables.selectFrom('accounts').selectAll().orderBy('name').execute(),
    await tables.selectFrom('members').selectAll().execute(),
    await tables.selectFrom('repositories').selectAll().orderBy('path').execute(),
    await tables.selectFrom('collaborators').selectAll().execute(),
    await tables.selectFrom('refs').selectAll().orderBy('position').execute(),
    await tables.selectFrom('commit_holders').selectAll().orderBy('position').execute(),
    await tables.selectFrom('past_holders').selectAll().execute(),
    await tables.selectFrom('hub_tokens').selectAll().execute(),
  ]
  const namespaces = await tables.selectFrom('namespaces').selectAll().orderBy('name').execute()
  const cuts = await tables.selectFrom('cut_offs').select(['kind', 'number', 'made']).execute()
  const names = new Map<string, string>([
    ...accounts.map(({ id, name }) => [id, name] as const),
    ...namespaces.map(({ id, name }) => [id, name] as const),
    ...repositories.map(({ uid, path }) => [uid, path] as const),
    ...refs.map(({ uid, name }) => [uid, name] as const),
  ])
  // Earlier histories on the database have taken numbers of the same moment.
  const [, begin] = entries
  const isNone = (number: number) => number < nowMs || number === Number.MAX_SAFE_INTEGER
  const since = (number: number | null) =>
    number === null || isNone(number) ? number : number - (begin?.number ?? 0)
  const named = (id: string | null) => (id === null ? null : (names.get(id) ?? 'gone'))
  const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
  return {
    requests: [...new Set(entries.map(({ request_id }) => request_id))],
    links: entries.map(({ number, previous }) => [since(number), since(previous)]),
    told: toldOf(entries),
    accounts: accounts.map(({ id, ...row }) => row),
    namespaces: namespaces.map(({ name }) => name),
    members: sorted(
      members.map((row) => [named(row.namespace_id), named(row.account_id), row.role]),
    ),
    repositories: repositories.map(({ uid, namespace_id, ...row }) => ({
      ...row,
      epoch: since(row.epoch),
    })),
    collaborators: sorted(
      collaborators.map((row) => [named(row.repository_uid), named(row.account_id), row.role]),
    ),
    refs: refs.map(({ uid, position, repository_uid, from_uid, ...row }) => ({
      ...row,
      forked_number: since(row.forked_number),
      repository: named(repository_uid),
      from: named(from_uid),
    })),
    holders: holders.map((row) => [
      ...[named(row.repository_uid), row.hash, named(row.ref_uid), since(row.recorded_number)],
    ]),
    past: sorted(past.map((row) => [named(row.repository_uid), row.hash, row.name])),
    tokens: sorted(
      tokens.map((row) => [
        ...[named(row.account_id), row.name, row.kind, row.grants, row.admin_scopes],
        ...[row.expires_at, row.revoked_at],
      ]),
    ),
    cuts: sorted(cuts.map((cut) => [cut.kind, since(cut.number), since(cut.made)])),
  }
}

/** The entries of each change. Which of them is first depends on random ids, where a change concerns many things. */
function toldOf(entries: readonly JournalRow[]): readonly string[][] {
  const byRequest = Map.groupBy(entries, ({ request_id }) => request_id)
  return Array.from(byRequest.values(), (some) =>
    some
      .map(({ verb, thing, did, narrows, account, namespace, repository, ref }) =>
        JSON.stringify([verb, thing, did, narrows, account, namespace, repository, ref]),
      )
      .sort(),
  )
}

/** The clock is ahead of the machine's, and stands still: numbers then tell nothing but the order. */
const options = { nowMs: () => nowMs }

interface TwoHubs {
  readonly database: TestDatabase
  readonly stores: readonly [Store, Store]
}

/** Gives the state, and which of the changes are in it, in the order of the journal. */
async function runAtOnce({ database, stores }: TwoHubs, wanted: readonly Wanted[]) {
  const [first] = stores
  await database.restore()
  const lanes = stores.map(async (store, hub) => {
    for (const [index, verb] of wanted.entries()) {
      if (index % stores.length === hub) await run(store, verb, `${index}`)
    }
  })
  await Promise.all(lanes)
  const { requests, ...state } = await first.directory.read(stateOf)
  const order = requests.flatMap((id) => (id === null || id === 'begin' ? [] : [Number(id)]))
  return { order, state }
}

interface OneHub {
  readonly database: TestDatabase
  readonly store: Store
}

async function runInTurn({ database, store }: OneHub, wanted: readonly Wanted[]) {
  await database.restore()
  for (const [index, verb] of wanted.entries()) {
    expect(await run(store, verb, `${index}`), JSON.stringify(verb)).toBe(true)
  }
  return store.directory.read(stateOf)
}

/** Opening takes longer than the changes of a history, so all histories have the same hubs, and begin with the same rows. */
async function openHubs() {
  const [shared, alone] = [await openDatabase(options), await databaseInFile(options)]
  const stores = [await shared.open(), await shared.open()] as const
  const store = await alone.open()
  await run(stores[0], start, 'begin')
  await run(store, start, 'begin')
  await shared.remember()
  await alone.remember()
  onTestFinished(async () => {
    await shared.finish(stores)
    await alone.finish([store])
  })
  return { two: { database: shared, stores }, one: { database: alone, store } }
}

/** A soak takes hours on a busy machine: whoever watches it learns how far it is. */
const timeout = rounds(600_000, 6 * 3_600_000)
const toldEvery = 500

test(`${histories} histories of changes at two hubs at once end as one after the other`, {
  timeout,
}, async () => {
  let done = 0
  const { two, one } = await openHubs()
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryVerb, lengths), async (wanted) => {
      const { order, state } = await runAtOnce(two, wanted)
      const inTurn = await runInTurn(
        one,
        order.flatMap((index) => wanted[index] ?? []),
      )
      const { links, ...left } = state
      const { links: _, requests: __, ...expected } = inTurn
      expect(left).toEqual(expected)
      expect(links.slice(1).map(([, previous]) => previous)).toEqual(
        links.slice(0, -1).map(([number]) => number),
      )
      done += 1
      if (done % toldEvery === 0) {
        process.stdout.write(`histories ${isOnPostgres ? 'on PostgreSQL' : 'in files'}: ${done}\n`)
      }
    }),
    { numRuns: histories },
  )
})

/** PostgreSQL answers the access room exactly as SQLite does, whatever the directory and the question. */

import { join } from 'node:path'
import { parseRevision, type RefName, Secret, unixSeconds } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { DatabaseBusy } from '@latchkey/service/postgres'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import fc, { type Arbitrary } from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AccessStore, StoreAnswer } from '../../../src/access/access-store.ts'
import { answerCache, type Caches } from '../../../src/access/caches.ts'
import { lookUpIn } from '../../../src/access/look-up.ts'
import { hashHubToken } from '../../../src/identity/hub-token.ts'
import { openSqliteStore } from '../../../src/stores/sqlite/open-store.ts'
import type { Store } from '../../../src/stores/store.ts'
import { repo } from '../../access/fake-store.ts'
import { openHub } from './open-hub.ts'

const isMissing = isPostgresMissing('no answers are compared')
const tagV1 = 'refs/tags/v1' as RefName
const isSoak = process.env['LATCHKEY_SOAK'] === '1'
const directories = isSoak ? 300 : 3
const questionsEach = isSoak ? 400 : 150

const hashes = ['1', '2', '3', '4'].map((digit) => digit.repeat(40))
const branches = [
  'main',
  'dev',
  'release/1',
  'v1',
  'fork-1',
  'fork-2',
  'fork-3',
  "o'brien--;",
  'ünï→',
]
const paths = [
  ...[
    'models/acme/bert',
    'models/acme/open',
    'datasets/acme/bert',
    'models/beta/gpt',
    'spaces/beta/demo',
  ],
  // Before all, between two and after all of them; and in another case.
  ...['datasets/aaa/aaa', 'models/acme/berta', 'spaces/zeta/zzz', 'models/Acme/bert'],
]
const people = ['ada', 'bob', 'cyd', 'dan']
const role = fc.constantFrom('read', 'write', 'admin')
const commit = fc.constantFrom(...hashes)
const roles = fc.dictionary(fc.constantFrom(...people), role)

const repository = (id: string, type: string) =>
  fc.record({
    id: fc.constant(id),
    type: fc.constant(type),
    visibility: fc.constantFrom('public', 'private'),
    defaultBranch: fc.constantFrom('main', 'dev', 'nowhere'),
    branches: fc.record(
      {
        main: commit,
        dev: fc.record({ commit, from: fc.constant('main') }),
        'fork-1': fc.record({ commit, from: fc.constant('main') }),
        "o'brien--;": commit,
        'ünï→': commit,
      },
      { requiredKeys: ['main', 'fork-1'] },
    ),
    tags: fc.dictionary(fc.constantFrom('v1', 'v2'), commit),
    refs: fc.dictionary(fc.constant('refs/pr/1'), commit),
    commits: fc.dictionary(commit, fc.subarray(['main', 'fork-1'])),
    collaborators: roles,
    refRules: fc.uniqueArray(
      fc.record({
        pattern: fc.constantFrom('main', 'v*', '*'),
        write: fc.constantFrom('write', 'admin'),
      }),
      {
        selector: ({ pattern }) => pattern,
      },
    ),
  })

const grant = fc.record(
  {
    on: fc.constantFrom(
      '*',
      'acme/*',
      'beta/*',
      'models/acme/bert',
      'datasets/acme/bert',
      'models/acme/none',
    ),
    contents: fc.constantFrom('read', 'write'),
    refs: fc.constant(['main', 'v*']),
  },
  { requiredKeys: ['on', 'contents'] },
)
const hubToken = (account: string, name: string): Arbitrary<object> =>
  fc.oneof(
    fc.record({
      account: fc.constant(account),
      name: fc.constant(name),
      kind: fc.constantFrom('read', 'write', 'admin'),
    }),
    fc.record({
      account: fc.constant(account),
      name: fc.constant(name),
      kind: fc.constant('fine-grained'),
      grants: fc.uniqueArray(grant, { selector: ({ on }) => on, minLength: 1, maxLength: 3 }),
    }),
  )

const file = fc.record({
  accounts: fc.tuple(
    ...people.map((name) =>
      fc.record({
        name: fc.constant(name),
        disabled: fc.boolean(),
        administrator: fc.constant(true),
      }),
    ),
  ),
  namespaces: fc.tuple(
    fc.record({ name: fc.constant('acme'), members: roles }),
    fc.record({ name: fc.constant('beta'), members: roles }),
  ),
  repositories: fc.tuple(
    repository('acme/bert', 'model'),
    repository('acme/open', 'model'),
    repository('acme/bert', 'dataset'),
    repository('beta/gpt', 'model'),
    repository('beta/demo', 'space'),
  ),
  hubTokens: fc.tuple(
    ...people.flatMap((name) => ['one', 'two', 'three'].map((token) => hubToken(name, token))),
  ),
})

/** After the file: forks of forks, deleted refs, tokens that were revoked or end. */
const afterwards: Arbitrary<readonly (readonly [string, object])[]> = fc
  .subarray(paths.slice(0, 5))
  .map((some) =>
    some.flatMap((repository): (readonly [string, object])[] => [
      ['ref set', { repository, ref: 'fork-2', from: 'fork-1' }],
      ['ref set', { repository, ref: 'fork-3', from: 'fork-2' }],
      ['ref set', { repository, ref: 'gone', commit: hashes[0] }],
      ['commit record', { repository, hash: hashes[3], on: ['gone', 'fork-3'] }],
      ['ref delete', { repository, ref: 'gone' }],
    ]),
  )

interface Question {
  readonly hash: string | undefined
  readonly path: string
  readonly revision: string
  readonly now: number
}

let own: OwnDatabase
beforeAll(async () => {
  if (!isMissing) own = await ownDatabase()
})

/** The rows of SQLite as they are in PostgreSQL: the same uids, positions and numbers. */
async function copied(sqlite: Store, postgres: Store): Promise<void> {
  const tables = [
    ...['accounts', 'namespaces', 'members', 'repositories', 'collaborators', 'refs', 'commits'],
    ...['commit_holders', 'past_holders', 'hub_tokens'],
  ] as const
  const rows = await Promise.all(
    tables.map((table) =>
      sqlite.readBeside((all) =>
        all
          .selectFrom(table as 'refs')
          .selectAll()
          .execute(),
      ),
    ),
  )
  await postgres.directory.note('demo mark', async ({ tables: all }) => {
    for (const table of tables.toReversed()) await all.deleteFrom(table as 'refs').execute()
    const put = async (table: string, wanted: readonly object[] = []) => {
      if (wanted.length > 0)
        await all
          .insertInto(table as 'refs')
          .values(wanted as never)
          .execute()
    }
    for (const [index, table] of tables.entries()) {
      // Triggers of the tables before it have added what the copy has already.
      if (table === 'past_holders') await all.deleteFrom(table).execute()
      await put(table, rows[index])
    }
  })
}

/** Both facts of the access room and rows of the store, without what differs by nature. */
/** Of their own for every question; those of a hub take longer to make than the answer. */
function smallCaches(): Caches {
  const size = { most: 1 }
  return {
    callers: answerCache(size),
    strangers: answerCache(size),
    repositories: answerCache(size),
    prefixes: answerCache(size),
  }
}

async function answered(
  access: AccessStore,
  { hash, path, revision, now }: Question,
): Promise<unknown> {
  let rows: StoreAnswer | undefined
  const watched: AccessStore = {
    ...access,
    async find(question) {
      rows = await access.find(question)
      return rows
    },
  }
  const question = {
    now: unixSeconds(now),
    hubTokenHash: hash,
    repo: repo(path),
    revision: parseRevision(revision),
  }
  const found = await lookUpIn(watched, smallCaches())(question, access.version())
  const { caller, refusedCaller, repository } = found
  return JSON.parse(JSON.stringify({ caller, refusedCaller, repository, rows }, sorted))
}

/** Asks again where a busy machine let the question wait for too long. */
async function answeredInTime(access: AccessStore, question: Question): Promise<unknown> {
  for (;;) {
    try {
      return await answered(access, question)
    } catch (error) {
      if (!(error instanceof DatabaseBusy)) throw error
    }
  }
}

/** Forks come in any order. */
function sorted(key: string, value: unknown): unknown {
  if (key !== 'forks' || !Array.isArray(value)) return value
  return value.toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
}

/** So few that none of them waits too long for its statement on a busy machine. */
function inPortions<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const size = 100
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

describe.skipIf(isMissing)('whatever the directory', () => {
  test('every caller gets the same answer to every question from both stores', async () => {
    const postgres = await openHub(own.url, { hub: undefined })
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(
        file,
        afterwards,
        fc.infiniteStream(fc.nat()),
        async (wanted, steps, chance) => {
          const sqlite = openSqliteStore(join(temporaryFolder(), 'hub.db'))
          try {
            const known = await made(sqlite, wanted, steps)
            await copied(sqlite, postgres)
            const asked = questions(known, chance)
            const answers: unknown[] = []
            for (const some of inPortions(asked)) {
              const found = some.map((question) => answeredInTime(postgres.access, question))
              answers.push(...(await Promise.all(found)))
            }
            for (const [index, question] of asked.entries()) {
              const answer = await answered(sqlite.access, question)
              expect(answers[index], JSON.stringify(question)).toEqual(answer)
              for (const kind of kindsOf(answer)) seen.set(kind, (seen.get(kind) ?? 0) + 1)
            }
          } finally {
            await sqlite.close()
          }
        },
      ),
      { numRuns: directories, endOnFailure: true },
    )
    // A comparison of nothing but absent repositories would prove little.
    for (const kind of [
      'absent',
      'hidden',
      'tag or commit',
      'branch',
      'held',
      'was held',
      'forked',
    ]) {
      expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0)
    }
  })
})

const [line, closed, none] = ['models/line/line', 'models/line/closed', 'models/line/none']
const [first, lost] = ['1'.repeat(40), '9'.repeat(40)]

/** In every directory, so that each kind of answer is compared whatever chance brings. */
const always: readonly (readonly [string, object])[] = [
  ['namespace create', { name: 'line' }],
  ['repo create', { repository: line, visibility: 'public' }],
  ['repo create', { repository: closed }],
  ['ref set', { repository: line, ref: 'main', commit: first }],
  ['ref set', { repository: line, ref: 'refs/tags/v1', commit: first }],
  ['ref set', { repository: line, ref: 'one', from: 'main' }],
  ['ref set', { repository: line, ref: 'two', from: 'one' }],
  ['ref set', { repository: line, ref: 'three', from: 'two' }],
  ['ref set', { repository: line, ref: 'gone', commit: lost }],
  ['ref delete', { repository: line, ref: 'gone' }],
]

function alwaysAsked(): readonly Question[] {
  const asked = [
    ...[line, closed, none].map((path) => [path, 'main'] as const),
    ...['three', 'v1', first, lost].map((revision) => [line, revision] as const),
  ]
  return asked.map(([path, revision]) => ({ hash: undefined, path, revision, now: systemClock() }))
}

async function made(
  sqlite: Store,
  wanted: object,
  steps: readonly (readonly [string, object])[],
): Promise<readonly string[]> {
  const done = verbRunner(sqlite, systemClock)
  const { hubTokens } = (await done('apply', { file: wanted })) as {
    hubTokens: readonly { token: string }[]
  }
  for (const [words, input] of [...steps, ...always]) await done(words, input)
  await collide(sqlite)
  const ids = await sqlite.readBeside((all) => all.selectFrom('hub_tokens').select('id').execute())
  for (const [index, { id }] of ids.entries()) {
    if (index % 5 === 1) await done('hub-token revoke', { hubToken: id })
    if (index % 5 === 2)
      await done('hub-token set', {
        hubToken: id,
        expiresAt: new Date((systemClock() + 1000) * 1000).toISOString(),
      })
  }
  return hubTokens.map(({ token }) => hashHubToken(new Secret('hub-token', token)))
}

function questions(known: readonly string[], chance: fc.Stream<number>): readonly Question[] {
  const one = <Value>(all: readonly Value[]): Value =>
    all[(chance.next().value ?? 0) % all.length] as Value
  const callers = [undefined, 'f'.repeat(64), ...known]
  const revisions = [
    ...branches,
    ...hashes,
    'v2',
    'refs/pr/1',
    'refs/tags/v1',
    'refs/heads/v1',
    'none',
    'a..b',
  ]
  const random = Array.from({ length: questionsEach }, () => ({
    hash: one(callers),
    path: one(paths),
    revision: one(revisions),
    now: systemClock() + one([0, 0, 2000]),
  }))
  return [...alwaysAsked(), ...random]
}

function kindsOf(answer: unknown): readonly string[] {
  const { rows } = answer as { rows?: { repository?: unknown } }
  const found = rows?.repository
  if (typeof found === 'string') return [found]
  const { fixed, moving } = (found ?? {}) as Record<
    'fixed' | 'moving',
    { holders?: unknown[]; pastHolders?: unknown[]; forks: unknown[] } | undefined
  >
  return [
    ...(fixed ? ['tag or commit'] : []),
    ...(fixed?.holders?.length ? ['held'] : []),
    ...(fixed?.pastHolders?.length ? ['was held'] : []),
    ...(moving ? ['branch'] : []),
    ...((moving?.forks.length ?? 0) > 2 ? ['forked'] : []),
  ]
}

/** Imported directories may have a branch with the name of a tag, which no verb makes. */
async function collide(sqlite: Store): Promise<void> {
  await sqlite.directory.note('demo mark', async ({ tables }) => {
    const tags = await tables.selectFrom('refs').selectAll().where('name', '=', tagV1).execute()
    for (const { position, ...tag } of tags as readonly { position?: unknown; uid: string }[]) {
      const branch = { ...tag, uid: `${tag.uid.slice(0, -1)}~`, name: 'refs/heads/v1' }
      await tables
        .insertInto('refs')
        .values(branch as never)
        .execute()
    }
  })
}

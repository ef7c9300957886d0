/** A directory of a test's own, with a clock that tests move by hand. */

import { readInput, verbs } from '@latchkey/admin-api'
import {
  asAccountId,
  asHubTokenId,
  isRefusal,
  type Refusal,
  type UnixSeconds,
} from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { testKeyWork } from '@latchkey/testing/hub/key-work'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import { applyFile } from '../../src/apply/apply-file.ts'
import type { ApplyResult, ApplySurroundings } from '../../src/apply/planning.ts'
import type { Caller } from '../../src/identity/caller.ts'
import type { ProviderRules } from '../../src/identity/provider-rules.ts'
import { runVerb } from '../../src/run-verb/run-verb.ts'
import type { VerbDeps } from '../../src/run-verb/verb-deps.ts'
import type { Store } from '../../src/stores/store.ts'
import type { Directory, Reading, Transaction } from '../../src/tables/directory.ts'
import type { Changing } from '../../src/verbs/does.ts'
import { believed } from '../revocation/pretended-token.ts'
import { openTestStore, type TestStoreOptions, type WhenOver } from '../stores/test-store.ts'

export const start = 1_800_000_000 as UnixSeconds

export interface Opened {
  readonly store: Store
  /** The time as the directory sees it. */
  now: UnixSeconds
  /** Who acts; undefined is the machine itself. */
  actor: Caller | undefined
  /** Of the configuration. */
  providers: readonly ProviderRules[]
  /** The limit for administrators of a namespace. */
  repositoriesPerNamespace: number
  work(transaction: Transaction): Changing
  /** Runs a verb as the command and the admin API do. */
  run(words: string, input?: object): Promise<Answer>
  /** The same, through a directory that watches or breaks what a verb does. */
  runOn(directory: Directory, words: string, input?: object): Promise<Answer>
  /** For preparations that must succeed. */
  done(words: string, input?: object): Promise<Answer>
  apply(file: unknown, options?: { prune?: boolean }): Promise<ApplyResult | Refusal>
  /** Every row of every table that the directory has, to compare before with after. */
  everything(): Promise<unknown>
}

export type Answer = Readonly<Record<string, unknown>>

const random = pooledRandom()

export async function openDirectory(
  options: TestStoreOptions = {},
  whenOver?: WhenOver,
): Promise<Opened> {
  return openDirectoryOn(await openTestStore(options, whenOver))
}

export function openDirectoryOn(store: Store): Opened {
  const opened: Opened = {
    store,
    now: start,
    actor: undefined,
    providers: [],
    repositoriesPerNamespace: 10_000,
    work: ({ tables, number, putAs }) => {
      const { actor } = opened
      const put = putAs({ verb: 'test', actor })
      return { ...surroundingsOf(opened), actor, tables, number, put }
    },
    run: (words, input) => opened.runOn(store.directory, words, input),
    async runOn(directory, words, input = {}) {
      const row = verbs.find((verb) => verb.words === words)
      if (row === undefined) throw new Error(`no verb ${words}`)
      const read = readInput(row.input, input)
      if (isRefusal(read)) return { ...read }
      const surroundings = { ...surroundingsOf(opened), directory }
      return (await runVerb(row, read, surroundings)) as Answer
    },
    async done(words, input) {
      const answer = await opened.run(words, input)
      if (isRefusal(answer)) throw new Error(`${words}: ${answer['detail']}`)
      return answer
    },
    apply: (file, options) => applyFile(applySurroundings(opened), file, options),
    everything: () => store.directory.read(readEverything),
  }
  return opened
}

function surroundingsOf({
  store,
  now,
  actor,
  providers,
  repositoriesPerNamespace,
}: Opened): Omit<VerbDeps, 'directory'> {
  return {
    now,
    randomBytes: random,
    hubTokenPrefix: 'lk_',
    actor: async () => actor,
    findRepository: repositoryFinder(store.access, () => now),
    policy: { hidePrivateRepositories: false },
    keys: testKeyWork(),
    verifyOwnToken: believed,
    providers,
    repositoriesPerNamespace,
  }
}

/** For `applyFile` as a test calls it. */
export function applySurroundings(opened: Opened): ApplySurroundings {
  const { actor: identify, ...around } = surroundingsOf(opened)
  const { directory } = opened.store
  return { ...around, directory, identify, originOf: (actor) => ({ verb: 'test', actor }) }
}

async function readEverything(tables: Reading): Promise<unknown> {
  return {
    accounts: await tables.selectFrom('accounts').selectAll().orderBy('id').execute(),
    namespaces: await tables.selectFrom('namespaces').selectAll().orderBy('id').execute(),
    members: await tables.selectFrom('members').selectAll().orderBy('account_id').execute(),
    repositories: await tables.selectFrom('repositories').selectAll().orderBy('uid').execute(),
    collaborators: await tables.selectFrom('collaborators').selectAll().execute(),
    teamMembers: await tables.selectFrom('team_members').selectAll().execute(),
    identities: await tables.selectFrom('identities').selectAll().execute(),
    refs: await tables.selectFrom('refs').selectAll().orderBy('position').execute(),
    commits: await tables.selectFrom('commits').selectAll().orderBy('uid').execute(),
    holders: await tables.selectFrom('commit_holders').selectAll().orderBy('position').execute(),
    hubTokens: await tables.selectFrom('hub_tokens').selectAll().orderBy('id').execute(),
  }
}

/** A hash that is easy to tell from others. */
export function hash(seed: number | string): string {
  return Buffer.from(String(seed)).toString('hex').padStart(40, '0')
}

/** An admin hub token's caller, limited to verb groups or not. */
export function administrator(adminScopes?: readonly string[]): Caller {
  return {
    accountId: asAccountId('admin-account'),
    accountName: 'root',
    administrator: true,
    hubTokenId: asHubTokenId('admin-token'),
    kind: 'admin',
    grants: [],
    ...(adminScopes === undefined ? {} : { adminScopes }),
  }
}

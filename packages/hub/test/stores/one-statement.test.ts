/** What a token request asks its database for, where the caller is known and the repository is not: counted. */

import { join } from 'node:path'
import { parseRevision, Secret } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { openPostgres } from '@latchkey/service/postgres'
import { applied, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, onTestFinished, test } from 'vitest'
import type { AccessStore } from '../../src/access/access-store.ts'
import { accessOf } from '../../src/access/find-access.ts'
import { hashHubToken } from '../../src/identity/hub-token.ts'
import { type FollowedVersion, followHead } from '../../src/stores/postgres/follow-head.ts'
import { postgresAccess } from '../../src/stores/postgres/postgres-access.ts'
import { hubSchema as schema } from '../../src/stores/postgres/server-name.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import { defaultStaleness, type Store } from '../../src/stores/store.ts'
import { repo } from '../access/fake-store.ts'
import { openHub, settingsOf } from './postgres/open-hub.ts'

const isMissing = isPostgresMissing('no statements are counted in PostgreSQL')
const commit = '1'.repeat(40)
const repository = (name: string) => ({
  ...{ type: 'model', id: `acme/${name}`, visibility: 'private' },
  ...{ branches: { main: commit, fork: { commit, from: 'main' } }, tags: { v1: commit } },
  refRules: [{ pattern: 'main', write: 'admin' }],
})
const file = {
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'write' } }],
  repositories: [repository('bert'), repository('gpt')],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

/** The hash of ada's hub token. */
async function filled(store: Store): Promise<string> {
  const tokens = await applied<string>(verbRunner(store, systemClock), file)
  return hashHubToken(new Secret('hub-token', tokens['ada/laptop'] ?? ''))
}

/** How many statements each look-up takes after the first, which finds the caller. */
async function counts(
  access: AccessStore,
  hubTokenHash: string,
  countDuring: (work: () => Promise<unknown>) => Promise<number>,
): Promise<readonly number[]> {
  const { findAccess } = accessOf(access)
  const find = async (name: string, revision: string) => {
    const asked = { hubTokenHash, repo: repo(`models/acme/${name}`) }
    return findAccess({ ...asked, now: systemClock(), revision: parseRevision(revision) })
  }
  await find('bert', 'main')
  const taken: number[] = []
  for (const revision of ['main', 'fork', 'v1', commit, 'none']) {
    taken.push(
      await countDuring(async () => {
        const { repository: found } = await find('gpt', revision)
        expect(found?.ref === undefined, revision).toBe(revision === 'none')
      }),
    )
  }
  taken.push(await countDuring(() => find('absent', 'main')))
  return taken
}

test('SQLite is asked one statement, whatever the revision is', async () => {
  const store = openSqliteStore(join(temporaryFolder(), 'hub.db'))
  onTestFinished(() => store.close())
  const hash = await filled(store)
  const counted = await counts(
    store.access,
    hash,
    async (work) => (await statementsDuring(work)).length,
  )
  expect(counted).toEqual([1, 1, 1, 1, 1, 1])
})

test.skipIf(isMissing)('PostgreSQL is asked one statement, whatever the revision is', async () => {
  const { url } = await ownDatabase()
  const hub = await openHub(url)
  const hash = await filled(hub)
  const database = await openPostgres({ settings: settingsOf(url), schema })
  onTestFinished(() => database.close())
  const ports = { database, schema, staleness: { ...defaultStaleness, maxMs: 60_000 } }
  const { server } = hub.access.version() as FollowedVersion
  const head = await followHead({ ...ports, server, onOtherServer: async () => server, tell() {} })
  onTestFinished(() => head.close())
  let asked = 0
  const query: typeof database.query = (one) => {
    asked += 1
    return database.query(one)
  }
  const counted = await counts(postgresAccess({ query }, { schema, head }), hash, async (work) => {
    const before = asked
    await work()
    return asked - before
  })
  expect(counted).toEqual([1, 1, 1, 1, 1, 1])
})

/** What others can send, name, notify or hold does not reach past the store. */

import { parseRefName, parseRepoRef, parseRevision, unixSeconds } from '@latchkey/protocol'
import { openPostgres } from '@latchkey/service/postgres'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { namesOf } from '../../../src/access/find-repository.ts'
import { findStatement } from '../../../src/stores/postgres/find-statement.ts'
import { batching } from '../../../src/stores/postgres/postgres-access.ts'
import { hubSchema as schema } from '../../../src/stores/postgres/server-name.ts'
import { defaultStaleness } from '../../../src/stores/store.ts'
import type { Tables } from '../../../src/tables/directory.ts'
import { applyFile, type OpenHub, openHub, seen, settingsOf } from './open-hub.ts'

const isMissing = isPostgresMissing('nothing is attacked')

let own: OwnDatabase
let hub: OpenHub
/** Of the hub tokens, by `account/name`. */
let hashes: Readonly<Record<string, string>>
beforeAll(async () => {
  if (isMissing) return
  own = await ownDatabase()
  hub = await openHub(own.url, {}, afterAll)
  hashes = await applyFile(hub, file)
})

const closed = 'models/acme/closed'
const file = {
  accounts: [{ name: 'ada' }, { name: 'mallory' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    { type: 'model', id: 'acme/closed', visibility: 'private', branches: { main: '1'.repeat(40) } },
    {
      ...{ type: 'model', id: 'acme/open', visibility: 'public', tags: { v1: '1'.repeat(40) } },
      branches: { main: '1'.repeat(40), fork: { commit: '1'.repeat(40), from: 'main' } },
      commits: { ['1'.repeat(40)]: ['main', 'fork'] },
    },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'read' },
    { account: 'mallory', name: 'laptop', kind: 'read' },
    {
      ...{ account: 'ada', name: 'narrow', kind: 'fine-grained' },
      grants: [{ on: 'models/acme/open', contents: 'read' }],
    },
  ],
}

describe.skipIf(isMissing)('names', () => {
  const quoted = [
    `x' OR '1'='1`,
    `"; drop schema latchkey_hub; --`,
    `{a,b}`,
    `\\`,
    `$1`,
    `NULL`,
    `é→😀`,
    `a"b\\"c`,
  ]

  test('are values, never SQL', async () => {
    for (const name of quoted) {
      const repo = { type: 'model', namespace: name, name } as never
      const about = { repo, names: { tag: name as never, moving: name as never } }
      const viewerOf = () => ({ accountId: name as never })
      for (const hubTokenHash of [undefined, name]) {
        const { caller, repository } = await hub.access.find({
          now: unixSeconds(0),
          hubTokenHash,
          about,
          viewerOf,
        })
        expect({ caller, repository }).toEqual({ caller: undefined, repository: 'absent' })
      }
    }
    const asked = { hubTokenHash: hashes['ada/laptop'] }
    expect(await seen(hub.findAccess(closed, asked))).toBe('private')
  })

  test('that PostgreSQL cannot hold never reach a statement, where they would fail it for others', () => {
    for (const bad of ['\0', 'a\0b', '\ud800']) {
      expect(parseRepoRef(`models/acme/${bad}`)).toBeUndefined()
      expect(parseRefName(`refs/heads/${bad}`)).toBeUndefined()
      expect(namesOf(parseRevision(bad))).toEqual({})
    }
  })

  test.each(['\u0000', '\ud800'])(
    'with %j cannot be granted, because no statement could read them',
    async (bad) => {
      const grants = [{ on: closed, contents: 'read', refs: [`main${bad}`] }]
      const token = { account: 'mallory', name: 'bad', kind: 'fine-grained', grants }
      await expect(hub.done('hub-token create', token)).rejects.toThrow()
    },
  )
})

describe.skipIf(isMissing)('a role of another program', () => {
  test('cannot put a function or an operator before ours', async () => {
    // Where PostgreSQL finds one whose arguments fit better, the schema that comes first does not help.
    await own.sql(`
      create function public.stop() returns text language plpgsql as $$ begin raise 'hostile'; end $$;
      create function public.concat_ws(text, numeric, oid) returns text language sql as 'select public.stop()';
      create function public.json_build_object(text, text, text, text, text, bigint) returns json
        language sql as 'select public.stop()::json';
      create function public.stop_state(text, text) returns text language sql as 'select public.stop()';
      create aggregate public.json_agg(text) (sfunc = public.stop_state, stype = text);
      create function public.stop_json(json, json) returns text language sql as 'select public.stop()';
      create operator public.->> (leftarg = json, rightarg = json, function = public.stop_json);
      grant all on schema public to public`)
    onTestFinished(
      async () => void (await own.sql('drop schema public cascade; create schema public')),
    )
    const later = await openHub(own.url)
    expect(await later.access.findPrefixes()).toBeInstanceOf(Set)
    for (const hubTokenHash of Object.values(hashes)) {
      for (const revision of ['main', 'fork', 'v1', '1'.repeat(40)].map(parseRevision)) {
        const asked = { hubTokenHash, revision, anew: true }
        expect(await seen(later.findAccess('models/acme/open', asked))).toBe('public')
      }
    }
  })

  test('finds no function without a schema in the statement of the hot path', () => {
    const words =
      /(?<![\w.])(?!(?:SELECT|FROM|AND|ON|OR|IN|AS|ORDINALITY|asked|EXISTS|LATERAL|THEN|coalesce|greatest|extract|unnest|behind)\b)\w+ ?\(/g
    expect(findStatement(schema).match(words)).toBeNull()
  })

  test('with a temporary table stands in for none of ours', async () => {
    const before = await hub.directory.read((tables) =>
      tables.selectFrom('accounts').selectAll().execute(),
    )
    const after = await hub.directory.note('demo mark', async ({ tables }) => {
      await sql`create temporary table accounts (id text) on commit drop`.execute(tables)
      return (tables as Tables).selectFrom('accounts').selectAll().execute()
    })
    expect(after).toEqual(before)
  })
})

test.skipIf(isMissing)(
  'a role that may only read and write rows runs a hub, and nothing more',
  async () => {
    const { cluster, name } = own
    const role = `rows_${name}`
    await cluster.createRole(role)
    onTestFinished(async () => void (await own.sql(`drop owned by ${role}; drop role ${role}`)))
    await own.sql(`grant usage on schema ${schema} to ${role};
    grant select, insert, update, delete on all tables in schema ${schema} to ${role}`)
    const limited = await openHub(cluster.url(name, role))
    await limited.done('account create', { name: 'by-the-role' })
    await limited.done('ref set', { repository: closed, ref: 'other', commit: '2'.repeat(40) })
    await limited.done('ref delete', { repository: closed, ref: 'other' })
    expect(await seen(limited.findAccess('models/acme/open'))).toBe('public')
    await expect.poll(() => limited.events).toContain('notifications_recovered')
    for (const text of [
      `truncate ${schema}.journal`,
      `alter table ${schema}.accounts disable trigger accounts_marked`,
      `create table ${schema}.own ()`,
    ]) {
      await expect(own.sql(`set role ${role}; ${text}`), text).rejects.toThrow(
        /permission denied|must be owner/,
      )
    }
  },
)

describe.skipIf(isMissing)('the statement of the hot path', () => {
  async function explain(
    questions: readonly (readonly [string | null, string])[],
    options: string,
  ) {
    const database = await openPostgres({ settings: settingsOf(own.url), schema, connections: 1 })
    onTestFinished(() => database.close())
    const names = { tag: 'refs/tags/main', branch: 'refs/heads/main' }
    const asked = questions.map(([hash, path]) => ({ hash, path, ...names }))
    const [row] = await database.query<{ 'QUERY PLAN': string }>({
      name: 'explain',
      text: `EXPLAIN (FORMAT JSON${options}) ${findStatement(schema)}`,
      values: [JSON.stringify(asked)],
    })
    return (JSON.parse(row?.['QUERY PLAN'] ?? '[]') as [{ Plan: Plan; JIT?: unknown }])[0]
  }

  interface Plan {
    readonly 'Total Cost': number
    readonly 'Actual Loops': number
    readonly 'Shared Hit Blocks': number
    readonly 'Shared Read Blocks': number
    readonly Plans?: readonly Plan[]
  }

  test('is never compiled, not even at its largest in a database that is not analysed yet', async () => {
    await own.sql(`delete from pg_statistic; select pg_stat_reset()`)
    const most = Array.from({ length: batching.maxInOne }, () => ['f'.repeat(64), closed] as const)
    const { Plan } = await explain(most, '')
    const limit = Number(await own.sql('show jit_above_cost'))
    expect(Plan['Total Cost']).toBeLessThan(limit)
  })

  const loops = ({ Plans = [], ...plan }: Plan): readonly number[] => [
    plan['Actual Loops'],
    ...Plans.flatMap(loops),
  ]

  test('does the same work for a hidden repository as for an absent one', async () => {
    const work = async (path: string) => {
      const hash = hashes['mallory/laptop'] ?? ''
      // Twice: the first may have to fill a cache of the server.
      await explain([[hash, path]], ', ANALYZE, BUFFERS, TIMING OFF')
      const { Plan } = await explain([[hash, path]], ', ANALYZE, BUFFERS, TIMING OFF')
      return { loops: loops(Plan), blocks: Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'] }
    }
    const hidden = await work(closed)
    const absent = await Promise.all(
      ['models/acme/closec', 'models/acme/closee', 'datasets/aaa/first', 'spaces/zzz/last'].map(
        work,
      ),
    )
    expect(absent).toEqual(absent.map(() => hidden))
    expect(await work('models/acme/open')).not.toEqual(hidden)
  })
})

describe.skipIf(isMissing)('token requests', () => {
  test('do not wait for slow reads, however many', async () => {
    const busy = await openHub(own.url, { staleness: defaultStaleness })
    const until = performance.now() + 8000
    const isOver = () => performance.now() > until
    const reading = Array.from({ length: 40 }, async () => {
      while (!isOver()) {
        const slow = busy.readBeside((tables) => sql`select pg_sleep(2)`.execute(tables))
        // A read that gets no connection in time is refused.
        await slow.catch(() => {})
      }
    })
    for (let asked = 0; !isOver(); asked += 1) {
      expect(await seen(busy.findAccess(`models/acme/absent-${asked}`))).toBe('absent')
      await new Promise((later) => setTimeout(later, 50))
    }
    expect(await busy.isReady()).toBe(true)
    await Promise.all(reading)
  })
})

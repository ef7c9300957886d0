/** The roles that the documentation names, made by the very file that it names. */

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { acme } from '@latchkey/testing/hub/acme'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { runPsql } from '@latchkey/testing/postgres/run-psql'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { hubHere } from '../serve-here.ts'

const file = resolve(import.meta.dirname, '../../../../examples/many-hubs/roles.sql')
const casUrl = 'http://127.0.0.1:8081/r/{repo}/{ref}'
const isMissing = isPostgresMissing('it is not shown that the documented roles suffice')

describe.skipIf(isMissing)('with the roles of examples/many-hubs', () => {
  const cwd = sharedFolder()
  // Roles belong to the whole cluster, which other tests share.
  let cluster: Cluster
  let name = ''
  beforeAll(async () => {
    cluster = await startCluster()
    name = await cluster.createDatabase()
    for (const _ of ['first', 'second time'])
      await runPsql(cluster.url(name), readFileSync(file, 'utf8'))
    for (const role of ['latchkey_owner', 'latchkey_hub', 'latchkey_storage']) {
      await cluster.sql(`alter role ${role} password '${cluster.password}'`)
    }
  })
  afterAll(() => cluster.kill())

  const as = (role: string) => ({ cwd, env: { LATCHKEY_DATABASE: cluster.url(name, role) } })
  const run = (role: string, ...args: readonly string[]) => latchkeyHere(args, as(role))
  const done = async (role: string, ...args: readonly string[]) => {
    const ended = await run(role, ...args)
    expect(ended, `${args.join(' ')}: ${ended.stderr}`).toMatchObject({ code: 0 })
    return ended.stdout + ended.stderr
  }
  const asRole = (role: string, statement: string) =>
    cluster.sql(`set role ${role}; ${statement}`, name)
  const tables = () =>
    cluster.sql(`select count(*) from pg_tables where schemaname = 'latchkey_hub'`, name)

  test('a hub whose tables are not made yet names what makes them', async () => {
    const { code, stderr } = await run('latchkey_hub', 'serve', '--port', '0', '--no-storage')
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /^latchkey: PostgreSQL \([^\n]+: the role latchkey_hub lacks CREATE on the schema latchkey_hub. Run as the owner: GRANT CREATE ON SCHEMA latchkey_hub TO latchkey_hub; Or make the tables with "latchkey migrate" [^\n]+\n$/,
    )
  })

  test('latchkey migrate shows the SQL and changes nothing, then runs it once', async () => {
    const text = await done('latchkey_owner', 'migrate', '--dry-run')
    expect(text).toContain('CREATE TABLE journal_head')
    expect(text).toMatch(/UPDATE schema_version SET version = \d+;/)
    expect(await tables()).toBe('0')
    const made = await done('latchkey_owner', 'migrate')
    expect(made).toMatch(/^latchkey_hub: the tables had version 0 and have version \d+ now\n$/)
    expect(Number(await tables())).toBeGreaterThan(10)
    expect(await done('latchkey_owner', 'migrate')).toMatch(/no change was needed\n$/)
    expect(await done('latchkey_owner', 'migrate', '--dry-run')).toMatch(/no change is needed\n/)
  })

  const owner = () => ({
    cwd: temporaryFolder(),
    env: { LATCHKEY_STORAGE_DATABASE: cluster.url(name, 'latchkey_owner') },
  })
  const serveStorage = () =>
    latchkeyHere(
      ['storage', 'serve', '--port', '0', '--hub', 'http://127.0.0.1:1', '--cas-url', casUrl],
      {
        cwd: temporaryFolder(),
        env: {
          LATCHKEY_STORAGE_DATABASE: cluster.url(name, 'latchkey_storage'),
          LATCHKEY_STORAGE_CREDENTIAL: `lk_${'c'.repeat(49)}`,
        },
      },
    )

  test('a storage whose tables are not made yet names what makes them', async () => {
    const { code, stderr } = await serveStorage()
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /the role latchkey_storage lacks CREATE on the schema latchkey_storage. Run as the owner: GRANT CREATE ON SCHEMA latchkey_storage TO latchkey_storage; Or make the tables with "latchkey migrate" [^\n]+\n$/,
    )
  })

  test('latchkey migrate makes the tables of a storage, where no hub is and beside one', async () => {
    const shown = await latchkeyHere(['migrate', '--dry-run'], owner())
    expect(shown.stdout).toMatch(/^-- latchkey_storage: from version 0 to \d+\nBEGIN;\n/)
    expect(shown.stdout).toContain('CREATE TABLE stored_xorbs')
    const made = await latchkeyHere(['migrate'], owner())
    expect(made.stderr).toMatch(
      /^latchkey_storage: the tables had version 0 and have version \d+ now\n$/,
    )
    const both = { ...owner().env, ...as('latchkey_owner').env }
    const again = await latchkeyHere(['migrate'], { ...owner(), env: both })
    expect(again.stderr).toMatch(
      /^latchkey_hub: .+ no change was needed\nlatchkey_storage: .+ no change was needed\n$/,
    )
  })

  test('a hub works fully', async () => {
    const input = JSON.stringify(acme)
    const applied = await latchkeyHere(['apply', '-', '--json'], { ...as('latchkey_hub'), input })
    expect(applied, applied.stderr).toMatchObject({ code: 0 })
    const { hubTokens } = JSON.parse(applied.stdout)
    const { token } = hubTokens.find((made: { name: string }) => made.name === 'write')
    const data = join(cwd, 'latchkey-data')
    const flags = { storage: false, stopDeadlineSeconds: '1' }
    const hub = await hubHere(data, flags, as('latchkey_hub').env)
    onTestFinished(hub.stop)
    const client = { cwd, env: { LATCHKEY_HUB: hub.url, LATCHKEY_HUB_TOKEN: token } }
    const asked = await latchkeyHere(['token', 'write', 'models/acme/bert'], client)
    expect(asked, asked.stderr).toMatchObject({ code: 0 })
    await done('latchkey_hub', 'ref', 'set', 'models/acme/bert', 'new', '--from', 'main')
    await done('latchkey_hub', 'ref', 'delete', 'models/acme/bert', 'release/1')
    await done('latchkey_hub', 'keys', 'rotate')
    await done('latchkey_hub', 'account', 'set', 'guest', '--disabled')
    await done('latchkey_hub', 'explain', 'token', 'read', 'models/acme/bert', '--as', 'writer')
    expect(await done('latchkey_hub', 'changes')).toContain('release/1')
    await done('latchkey_hub', 'backup', join(cwd, 'backup'))
    expect(await done('latchkey_hub', 'migrate')).toMatch(/no change was needed/)
  })

  test.each([
    ...['drop table latchkey_hub.accounts', 'truncate latchkey_hub.journal'],
    ...['alter table latchkey_hub.accounts add column more text'],
    ...['create table latchkey_hub.more (id text)', 'create table public.more (id text)'],
    ...['create temporary table accounts (id text)', 'create schema more'],
    ...[
      'create or replace function latchkey_hub.mark_directory() returns trigger as $$$$ language sql',
    ],
    ...['alter table latchkey_hub.accounts disable trigger accounts_marked'],
    ...['create table latchkey_storage.more (id text)', 'select * from latchkey_storage.ours'],
  ])('a hub cannot %s', async (statement) => {
    await asRole('latchkey_owner', 'create table if not exists latchkey_storage.ours (id text)')
    await expect(asRole('latchkey_hub', statement)).rejects.toThrow(
      /permission denied|must be (?:owner|able)/,
    )
  })

  test('a storage has the rows of its own schema, and nothing of the hub', async () => {
    await asRole('latchkey_owner', 'create table if not exists latchkey_storage.ours (id text)')
    await asRole('latchkey_storage', `insert into latchkey_storage.ours values ('a')`)
    for (const statement of [
      'select sealed from latchkey_hub.signing_keys',
      'delete from latchkey_hub.cut_offs',
      'drop table latchkey_storage.ours',
    ]) {
      await expect(asRole('latchkey_storage', statement)).rejects.toThrow(
        /permission denied|must be owner/,
      )
    }
  })

  test('a storage that lacks a right names it at its start, with the GRANT', async () => {
    const right = 'update on latchkey_storage.hub_link'
    await cluster.sql(`revoke ${right} from latchkey_storage`, name)
    const { code, stderr } = await serveStorage()
    await cluster.sql(`grant ${right} to latchkey_storage`, name)
    expect(code).toBe(3)
    expect(stderr).toContain(
      'the role latchkey_storage lacks UPDATE on hub_link. Run as the owner: GRANT UPDATE ON latchkey_storage.hub_link TO latchkey_storage; ',
    )
  })

  test('what a later migration adds needs no hand', async () => {
    await asRole(
      'latchkey_owner',
      `create table latchkey_hub.later (id bigint generated by default as identity, name text);
       create sequence latchkey_hub.numbers;
       create function latchkey_hub.one() returns int language sql as 'select 1'`,
    )
    await asRole(
      'latchkey_hub',
      `insert into latchkey_hub.later (name) values ('a'); select nextval('latchkey_hub.numbers'), latchkey_hub.one()`,
    )
    await expect(asRole('latchkey_storage', 'select latchkey_hub.one()')).rejects.toThrow(
      /permission denied/,
    )
  })

  test('a hub that finds older tables does not serve, and says which command helps', async () => {
    const version = await cluster.sql('select version from latchkey_hub.schema_version', name)
    await cluster.sql('update latchkey_hub.schema_version set version = 0', name)
    try {
      const { code, stderr } = await run('latchkey_hub', 'serve', '--port', '0', '--no-storage')
      expect(code).toBe(3)
      expect(stderr).toMatch(
        /^latchkey: [^\n]+ has version 0 and this program needs \d+, [^\n]+ Run `latchkey migrate` with the address of the role that owns it.\n$/,
      )
    } finally {
      await cluster.sql(`update latchkey_hub.schema_version set version = ${version}`, name)
    }
  })
})

/** What tests may expect of a PostgreSQL of their own. */

import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { runPsql } from '@latchkey/testing/postgres/run-psql'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const isMissing = isPostgresMissing('no test gets one of its own')

describe.skipIf(isMissing)('a cluster of a test', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster?.kill())

  test('a wrong password and an unknown role are refused over TCP', async () => {
    const right = new URL(cluster.url())
    const wrong = Object.assign(new URL(right), { password: 'wrong' })
    const unknown = cluster.url('postgres', 'nobody_here')
    expect(await runPsql(right.href, 'show password_encryption')).toBe('scram-sha-256')
    await expect(runPsql(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')
    await expect(runPsql(unknown, 'select 1')).rejects.toThrow('password authentication failed')
  })

  test('a commit is on disk, as in production', async () => {
    const settings = `select current_setting('fsync'), current_setting('synchronous_commit')`
    expect(await cluster.sql(settings)).toBe('on|on')
  })

  test('a statement that fails fails the test', async () => {
    await expect(cluster.sql('select 1; select wrong')).rejects.toThrow('"wrong" does not exist')
  })

  test('a role of a test has no right but to log in', async () => {
    await cluster.createRole('plain')
    expect(await runPsql(cluster.url('postgres', 'plain'), 'select current_user')).toBe('plain')
    const created = runPsql(cluster.url('postgres', 'plain'), 'create table a ()')
    await expect(created).rejects.toThrow('permission denied')
  })

  test.each(['fast', 'immediate'] as const)(
    'a commit is there after a restart, %s',
    async (mode) => {
      const name = await cluster.createDatabase()
      await cluster.sql('create table kept as select 1 as one', name)
      const logged = cluster.log().length
      await cluster.restart(mode)
      expect(await runPsql(cluster.url(name), 'select one from kept')).toBe('1')
      const isRecovered = cluster.log().slice(logged).includes('automatic recovery in progress')
      expect(isRecovered).toBe(mode === 'immediate')
    },
  )

  test('a cluster that is stopped refuses connections until it is started', async () => {
    await cluster.stop()
    await expect(runPsql(cluster.url(), 'select 1')).rejects.toThrow('Connection refused')
    await cluster.start()
    expect(await runPsql(cluster.url(), 'select 1')).toBe('1')
  })
})

describe.skipIf(isMissing)('the database of a test file', () => {
  let [one, other]: OwnDatabase[] = []
  beforeAll(async () => {
    ;[one, other] = await Promise.all([ownDatabase(), ownDatabase()])
  })

  test('two of them are in one cluster and share no table', async () => {
    await one?.sql('create table mine ()')
    expect(await other?.sql(`select to_regclass('mine') is null`)).toBe('t')
    expect(one?.cluster.port).toBe(other?.cluster.port)
  })
})

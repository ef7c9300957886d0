/** What stands between a test and its PostgreSQL: TLS, a pooler, a line that breaks. */

import { breakableLine } from '@latchkey/testing/machine/breakable-line'
import { startCluster } from '@latchkey/testing/postgres/cluster'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { startPooler } from '@latchkey/testing/postgres/pooler'
import { runPsql } from '@latchkey/testing/postgres/run-psql'
import { postgresProgram } from '@latchkey/testing/postgres/template'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { newIssuer } from '@latchkey/testing/tls/certificates'
import { isPoolerMissing, isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const so = 'no test reaches it over TLS, a pooler or a line that breaks'
const isMissing = isPostgresMissing(so)
const hasNoPooler = isPoolerMissing('no test reaches PostgreSQL through a pooler')

test.skipIf(isMissing)('with a certificate, TCP needs TLS', async () => {
  const tls = newIssuer('an issuer of the test').issue({ names: ['localhost', '127.0.0.1'] })
  const cluster = await startCluster({ tls, settings: { fsync: 'off' } })
  onTestFinished(() => cluster.kill())
  const encrypted = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'
  expect(await runPsql(`${cluster.url()}?sslmode=require`, encrypted)).toBe('t')
  const plain = runPsql(`${cluster.url()}?sslmode=disable`, encrypted)
  await expect(plain).rejects.toThrow('no encryption')
})

describe.skipIf(isMissing)('between', () => {
  let database: OwnDatabase
  beforeAll(async () => {
    database = await ownDatabase()
  })

  test.skipIf(hasNoPooler)('a pooler gives its connection away after a transaction', async () => {
    const pooler = await startPooler(database.cluster, { default_pool_size: '1' })
    onTestFinished(() => pooler.kill())
    const url = pooler.url(database.name)
    // There is one connection to the server, and the second session asks while the first one is open.
    const question = 'select pg_backend_pid()'
    const second = `${postgresProgram('psql')} -XAt -c '${question}' '${url}'`
    const answers = await runPsql(url, `${question};\n\\! ${second}\n${question};`)
    expect(answers).toMatch(/^(\d+)\n\1\n\1$/)
    const wrong = Object.assign(new URL(url), { password: 'wrong' }).href
    await expect(runPsql(wrong, 'select 1')).rejects.toThrow('SASL authentication failed')
  })

  test.skipIf(hasNoPooler)('a pooler knows roles that come later', async () => {
    const pooler = await startPooler(database.cluster)
    onTestFinished(() => pooler.kill())
    const role = `later_${database.name}`
    await database.cluster.createRole(role)
    expect(await runPsql(pooler.url(database.name, role), 'select current_user')).toBe(role)
  })

  test('a stalled line keeps an answer until it is mended, a broken one loses it', async () => {
    const line = await breakableLine(database.cluster.port)
    onTestFinished(() => line.close())
    const url = throughPort(database.url, line.port)
    expect(await runPsql(url, 'select 1')).toBe('1')

    let isAnswered = false
    line.stall()
    const stalled = runPsql(url, 'select 2').finally(() => {
      isAnswered = true
    })
    // A question on another way takes as long as one on this way would.
    expect(await runPsql(database.url, 'select 3')).toBe('3')
    expect(isAnswered).toBe(false)
    line.mend()
    expect(await stalled).toBe('2')

    const lost = runPsql(url, 'select pg_sleep(600)')
    const isSleeping = `select count(*) from pg_stat_activity where query = 'select pg_sleep(600)' and state = 'active'`
    await expect.poll(() => database.sql(isSleeping)).toBe('1')
    line.break()
    await expect(lost).rejects.toThrow(/server closed|reset by peer/)
    await expect(runPsql(url, 'select 1')).rejects.toThrow(/server closed|reset by peer/)
  })
})

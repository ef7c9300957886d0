/** What tests may expect of a replica of their PostgreSQL. */

import { startCluster } from '@latchkey/testing/postgres/cluster'
import { startReplica } from '@latchkey/testing/postgres/replica'
import { runPsql } from '@latchkey/testing/postgres/run-psql'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, onTestFinished, test } from 'vitest'

const isMissing = isPostgresMissing('no test gets a replica')

async function primaryAndReplica() {
  const primary = await startCluster()
  onTestFinished(() => primary.kill())
  await primary.sql('create table counted as select 0 as number')
  const replica = await startReplica(primary)
  onTestFinished(() => replica.kill())
  const count = (number: number) => primary.sql(`update counted set number = ${number}`)
  return { primary, replica, count, counted: () => replica.sql('select number from counted') }
}

test.skipIf(isMissing)('a replica shows what it has replayed, and can be held back', async () => {
  const { primary, replica, count, counted } = await primaryAndReplica()
  await count(1)
  await replica.catchUp()
  expect(await counted()).toBe('1')
  await expect(runPsql(replica.url(), 'delete from counted')).rejects.toThrow('read-only')

  await replica.pause()
  await count(2)
  const received = `select pg_last_wal_receive_lsn() >= '${await primary.sql('select pg_current_wal_flush_lsn()')}'`
  await expect.poll(() => replica.sql(received)).toBe('t')
  expect(await counted()).toBe('1')
  await replica.resume()
  await replica.catchUp()
  expect(await counted()).toBe('2')
})

test.skipIf(isMissing)('a promoted replica lacks what it did not receive', async () => {
  const { primary, replica, count, counted } = await primaryAndReplica()
  await replica.disconnect()
  await count(1)
  await primary.sql('select pg_switch_wal(); checkpoint')
  await replica.reconnect()
  const names = await primary.sql('select application_name from pg_stat_replication')
  expect(names).toBe(replica.name)
  await replica.catchUp()
  await replica.disconnect()
  await count(2)
  await primary.stop('immediate')
  await replica.promote()
  expect(await counted()).toBe('1')
  await runPsql(replica.url(), 'update counted set number = 3')
  expect(await counted()).toBe('3')
})

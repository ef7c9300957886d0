/** A server that was started again, or that took the place of another one: hubs go on by themselves, and nothing old comes back. */

import { rounds } from '@latchkey/testing/chance'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { dumpSchema } from '@latchkey/testing/postgres/dump-schema'
import { type Replica, startReplica } from '@latchkey/testing/postgres/replica'
import { runPsql } from '@latchkey/testing/postgres/run-psql'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { movableLine } from './movable-line.ts'
import { applyFile, openFile as file, type OpenHub, open, openHub, seen } from './open-hub.ts'

const isMissing = isPostgresMissing('no server is replaced')

let primary: Cluster
beforeAll(async () => {
  const settings = { wal_level: 'replica', max_prepared_transactions: '1' }
  if (!isMissing) primary = await startCluster({ settings })
})
afterAll(() => primary?.kill())

interface Entry {
  readonly number: number
  readonly thing: string
}

const journal = 'latchkey_hub.journal'

async function journalOf(server: Cluster, database: string): Promise<readonly Entry[]> {
  const rows = await server.sql(`select number, thing from ${journal} order by number`, database)
  return rows.split('\n').map((row) => {
    const [number, thing = ''] = row.split('|')
    return { number: Number(number), thing }
  })
}

const cutAll = (server: Cluster, database: string) =>
  server.sql(`select number from latchkey_hub.cut_offs where kind = 'all'`, database)

/** From then on it answers again. */
async function backAgain(hub: OpenHub): Promise<void> {
  await expect.poll(() => seen(hub.findAccess(open)), { interval: 50 }).toBe('public')
}

describe.skipIf(isMissing)('a server that was started again', () => {
  test.each((['immediate', 'fast'] as const).slice(0, rounds(1, 2)))(
    '(%s) is met with an entry, and nothing is cut',
    async (mode) => {
      const database = await primary.createDatabase()
      const hub = await openHub(primary.url(database))
      await applyFile(hub, file)
      const before = await journalOf(primary, database)
      await primary.stop(mode)
      await expect.poll(() => hub.events).toContain('database_unavailable')
      await primary.start()
      await backAgain(hub)
      const { asOf } = await hub.findAccess(open)
      const fresh = (await journalOf(primary, database)).slice(before.length)
      expect(fresh.map(({ thing }) => thing)).toEqual(['hub'])
      expect(asOf).toBeGreaterThanOrEqual(fresh[0]?.number ?? Number.POSITIVE_INFINITY)
      expect(await cutAll(primary, database)).toBe('')
      expect(hub.events).not.toContain('database_replaced')
      await hub.done('repo set', { repository: open, visibility: 'private' })
      expect(await seen(hub.findAccess(open))).toBe('private')
    },
  )

  test('is told of in one line when it goes and one when it comes, without a secret', async () => {
    const lines: string[] = []
    const hub = await openHub(primary.url(await primary.createDatabase()), {
      tell: (event, fields) => void lines.push(`${event} ${JSON.stringify(fields)}`),
    })
    await expect.poll(() => lines).toHaveLength(1)
    await primary.stop('immediate')
    await expect.poll(() => lines.length).toBe(3)
    const work = Array.from({ length: 50 }, () => [
      hub.findAccess(open, { anew: true }),
      hub.done('account create', { name: 'x' }),
    ]).flat()
    const errors = (await Promise.allSettled(work)).flatMap((result) =>
      result.status === 'rejected' ? [`${result.reason.stack}`] : [],
    )
    await new Promise((later) => setTimeout(later, 3000))
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual([
      'database_unavailable',
      'notifications_lost',
      'notifications_recovered',
    ])
    expect(errors.length).toBeGreaterThan(50)
    expect([...lines, ...errors].filter((text) => text.includes(primary.password))).toEqual([])
    await primary.start()
    await expect.poll(() => lines.some((line) => line.startsWith('database_recovered'))).toBe(true)
  })

  test('answers nothing before its entry', async () => {
    const database = await primary.createDatabase()
    const hub = await openHub(primary.url(database))
    await applyFile(hub, file)
    const before = await journalOf(primary, database)
    // A hub that cannot write its entry has not met the server. A prepared transaction keeps its lock over the restart.
    const lock = `lock table ${journal} in exclusive mode`
    await primary.sql(`begin; ${lock}; prepare transaction 'blocking'`, database)
    const unblock = () => primary.sql(`rollback prepared 'blocking'`, database)
    onTestFinished(async () => void (await unblock().catch(() => {})))
    await primary.stop()
    await primary.start()
    const asked: Promise<string>[] = []
    const ask = () => {
      asked.push(seen(hub.findAccess(`models/acme/${asked.length}`)))
    }
    const waiting = `select count(*) > 0 from pg_locks where relation = '${journal}'::regclass and not granted`
    const isTrying = () => {
      ask()
      return primary.sql(waiting, database)
    }
    await expect.poll(isTrying, { interval: 20 }).toBe('t')
    for (let more = 0; more < 20; more += 1) {
      ask()
      await new Promise((later) => setTimeout(later, 20))
    }
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['DatabaseUnavailable']))
    await unblock()
    await backAgain(hub)
    expect(await journalOf(primary, database)).toHaveLength(before.length + 1)
  })
})

describe.skipIf(isMissing)('a replica', () => {
  let replica: Replica
  beforeAll(async () => {
    replica = await startReplica(primary)
  })
  afterAll(() => replica?.kill())

  test('is refused, at the start and while a hub runs', async () => {
    const database = await primary.createDatabase()
    const line = await movableLine(primary.port)
    const hub = await openHub(throughPort(primary.url(database), line.port))
    await applyFile(hub, file)
    await replica.catchUp()
    await expect(openHub(replica.url(database))).rejects.toThrow('read-only replica')
    line.moveTo(replica.port)
    await expect.poll(() => hub.events).toContain('database_unavailable')
    expect(await seen(hub.findAccess('models/acme/never-asked-for'))).toBe('DatabaseUnavailable')
    line.moveTo(primary.port)
    await backAgain(hub)
  })

  test('promoted 100 changes behind uses no number twice, and ends every token of before', async () => {
    const database = await primary.createDatabase()
    const line = await movableLine(primary.port)
    const hubs = await Promise.all(
      [1, 2].map(() => openHub(throughPort(primary.url(database), line.port))),
    )
    const [first, second] = hubs as [OpenHub, OpenHub]
    await applyFile(first, file)
    await replica.catchUp()
    await replica.disconnect()
    const kept = await journalOf(primary, database)
    for (let count = 0; count < 100; count += 1) {
      await first.done('account create', { name: `lost-${count}` })
    }
    const lost = (await journalOf(primary, database)).slice(kept.length)
    expect(lost).toHaveLength(100)
    await expect.poll(async () => (await second.findAccess(open)).asOf).toBe(lost.at(-1)?.number)

    await primary.stop('immediate')
    onTestFinished(() => primary.start())
    await replica.promote()
    line.moveTo(replica.port)
    const newest = lost.at(-1)?.number ?? Number.POSITIVE_INFINITY
    for (const hub of hubs) {
      const asOf = () =>
        hub.findAccess(open).then(
          (found) => found.asOf,
          () => 0,
        )
      await expect.poll(asOf, { interval: 50 }).toBeGreaterThan(newest)
    }
    const used = await journalOf(replica, database)
    const numbers = [...kept, ...lost, ...used.slice(kept.length)].map(({ number }) => number)
    expect(used.slice(0, kept.length)).toEqual(kept)
    expect(new Set(numbers).size).toBe(numbers.length)
    // One of the two has cut, and every token with a number of before is below.
    const cut = Number(await cutAll(replica, database))
    expect(cut).toBeGreaterThan(newest)
    const told = hubs
      .flatMap(({ events }) => events)
      .filter((event) => event === 'database_replaced')
    expect(told).toHaveLength(1)
    for (const hub of hubs) expect((await hub.findAccess(open)).asOf).toBeGreaterThanOrEqual(cut)
    await second.done('repo set', { repository: open, visibility: 'private' })
    expect(await seen(second.findAccess(open))).toBe('private')
  })
})

describe.skipIf(isMissing)('a copy that was put back', () => {
  const dumpOf = (database: string) =>
    dumpSchema(primary, { database, schema: 'latchkey_hub', isClean: true })

  test('in another cluster ends every token of before', async () => {
    const database = await primary.createDatabase()
    const line = await movableLine(primary.port)
    const hub = await openHub(throughPort(primary.url(database), line.port))
    await applyFile(hub, file)
    const dump = await dumpOf(database)
    await hub.done('account create', { name: 'lost' })
    const { asOf: before } = await hub.findAccess(open)
    const other = await startCluster({ isUnique: true })
    onTestFinished(() => other.kill())
    await other.sql(`create database ${database}`)
    await other.sql(`alter role tester password '${primary.password}'`)
    await runPsql(
      throughPort(primary.url(database), other.port),
      dump.replaceAll(/^DROP .*$|^ALTER TABLE (IF EXISTS )?ONLY \S+ DROP .*$/gm, ''),
    )
    line.moveTo(other.port)
    await expect.poll(() => hub.events).toContain('database_replaced')
    await backAgain(hub)
    expect(Number(await cutAll(other, database))).toBeGreaterThan(before)
  })

  test.each(['while a hub runs', 'while none runs'])(
    'in the same database, %s, ends every token of before',
    async (when) => {
      const database = await primary.createDatabase()
      const url = primary.url(database)
      const hub = await openHub(url)
      await applyFile(hub, file)
      const dump = await dumpOf(database)
      await hub.done('account create', { name: 'lost' })
      const { asOf: before } = await hub.findAccess(open)
      if (when === 'while none runs') await hub.close()
      await runPsql(url, dump)
      const after = when === 'while none runs' ? await openHub(url) : hub
      await expect.poll(() => after.events).toContain('database_replaced')
      await backAgain(after)
      expect(Number(await cutAll(primary, database))).toBeGreaterThan(before)
    },
  )

  test('gives no number twice, also where numbers had run ahead of the clock', async () => {
    const database = await primary.createDatabase()
    const hub = await openHub(primary.url(database))
    await applyFile(hub, file)
    await primary.sql(
      'create table latchkey_hub.copy as select * from latchkey_hub.journal_head',
      database,
    )
    const ahead = Date.now() + 100_000
    await primary.sql(`update latchkey_hub.journal_head set number = ${ahead}`, database)
    await expect.poll(async () => (await hub.findAccess(open)).asOf).toBe(ahead)
    // A snapshot of the disk has neither another name nor another timeline.
    await primary.sql(
      'update latchkey_hub.journal_head head set number = copy.number from latchkey_hub.copy',
      database,
    )
    await expect.poll(() => hub.events).toContain('database_replaced')
    await backAgain(hub)
    expect((await hub.findAccess(open)).asOf).toBeGreaterThan(ahead)
    expect(Number(await cutAll(primary, database))).toBeGreaterThan(ahead)
  })
})

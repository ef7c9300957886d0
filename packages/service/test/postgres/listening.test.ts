/** Notifications are heard on a connection that comes back by itself and never only seems to live. */

import { connect, createServer, type Socket } from 'node:net'
import { DatabaseUnavailable, listenPostgres } from '@latchkey/service/postgres'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { startPooler } from '@latchkey/testing/postgres/pooler'
import { isPoolerMissing, isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openUntilEnd } from './open-test-database.ts'
import { settingsOf } from './settings-of.ts'

const isMissing = isPostgresMissing('no notification is heard')
const isWithoutPooler = isMissing || isPoolerMissing('nothing is tested behind a pooler')

let own: OwnDatabase
beforeAll(async () => {
  if (!isMissing) own = await ownDatabase()
})

function listen(url: string, more: { checkEveryMs?: number; deadlineMs?: number } = {}) {
  const events: string[] = []
  const listening = listenPostgres({
    settings: settingsOf(url),
    channel: 'changes',
    onNotify: (payload) => void events.push(payload),
    onUp: () => void events.push('up'),
    onDown: (reason) => void events.push(`down: ${reason}`),
    ...more,
  })
  onTestFinished(() => listening.close())
  return { events, close: listening.close }
}

const listeners = `from pg_stat_activity where datname = current_database() and query in ('LISTEN changes', 'SELECT 1')`

describe.skipIf(isMissing)('a listener', () => {
  test('hears what is committed, and nothing of what is rolled back', async () => {
    const { events } = listen(own.url)
    await expect.poll(() => events).toEqual(['up'])
    await own.sql(`begin; notify changes, 'lost'; rollback; notify changes, 'kept'`)
    await expect.poll(() => events).toEqual(['up', 'kept'])
  })

  test('whose connection is ended says so once, and comes back', async () => {
    const { events } = listen(own.url)
    await expect.poll(() => events).toEqual(['up'])
    await own.sql(`select pg_terminate_backend(pid) ${listeners}`)
    await expect.poll(() => events.at(-1)).toBe('up')
    await expect.poll(() => events).toHaveLength(3)
    expect(events[1]).toMatch(/^down: PostgreSQL \(/)
    await own.sql(`notify changes, 'again'`)
    await expect.poll(() => events.at(-1)).toBe('again')
  })

  test('notices a connection that only seems to live', async () => {
    const { url, stall } = await stallingProxy()
    const { events } = listen(url, { checkEveryMs: 100, deadlineMs: 1000 })
    await expect.poll(() => events).toEqual(['up'])
    stall()
    await expect.poll(() => events.at(-1)).toBe('up')
    await expect.poll(() => events).toHaveLength(3)
    expect(events[1]).toContain('it does not answer')
  })

  test('that is closed holds no connection', async () => {
    const { events, close } = listen(own.url)
    await expect.poll(() => events).toEqual(['up'])
    await close()
    await expect.poll(() => own.sql(`select count(*) ${listeners}`)).toBe('0')
    expect(events).toEqual(['up'])
  })
})

describe.skipIf(isWithoutPooler)('behind a pooler', () => {
  const poolerUrl = async () => {
    const pooler = await startPooler(own.cluster)
    onTestFinished(() => pooler.kill())
    return pooler.url(own.name)
  }

  test('a listener says that it needs a direct address', async () => {
    const { events } = listen(await poolerUrl())
    await expect.poll(() => events).toHaveLength(1)
    expect(events[0]).toContain('a pooler stands before it')
  })

  test('reads, changes and named statements work, and the pooler is recognised', async () => {
    await own.sql('drop table if exists public.pooled; create table public.pooled (at bigint)')
    const pooled = await openUntilEnd<{ pooled: { at: number } }>(await poolerUrl())
    const direct = await openUntilEnd(own.url)
    expect([pooled.isPooled(), direct.isPooled()]).toEqual([true, false])
    await pooled.change((tables) => tables.insertInto('pooled').values({ at: 7 }).execute())
    const once = () => pooled.query({ name: 'same', text: 'select at from public.pooled' })
    const asked = await Promise.all(Array.from({ length: 30 }, once))
    expect(asked).toEqual(Array.from({ length: 30 }, () => [{ at: 7 }]))
    const settings = await pooled.read((tables) => sql`show search_path`.execute(tables))
    expect(settings.rows).toEqual([{ search_path: 'public, pg_temp' }])
    const after = await pooled.query({
      name: 'path',
      text: `select current_setting('lock_timeout') as lock`,
    })
    expect(after).toEqual([{ lock: '0' }])
  })

  test('no statement is compiled: not in a transaction, nor on a connection of our own; the session of a pooler stays as it is', async () => {
    const jit = { name: 'jit', text: `select current_setting('jit') as jit` }
    const [pooled, direct] = [await openUntilEnd(await poolerUrl()), await openUntilEnd(own.url)]
    for (const { read } of [pooled, direct]) {
      const { rows } = await read((tables) => sql`show jit`.execute(tables))
      expect(rows).toEqual([{ jit: 'off' }])
    }
    expect(await direct.query(jit)).toEqual([{ jit: 'off' }])
    expect(await pooled.query(jit)).toEqual([{ jit: 'on' }])
  })

  test('a pooler that is gone is a database that is away', async () => {
    const pooler = await startPooler(own.cluster)
    const { query } = await openUntilEnd(pooler.url(own.name))
    await pooler.kill()
    const asking = () => query({ name: 'one', text: 'select 1' })
    await expect(asking().then(asking)).rejects.toThrow(DatabaseUnavailable)
  })
})

/** From `stall` on, the connections that are open say nothing more; new ones work. */
async function stallingProxy() {
  const open = new Set<Socket>()
  const proxy = createServer((socket) => {
    const server = connect(own.cluster.port, '127.0.0.1')
    open.add(socket).add(server)
    for (const one of [socket, server]) one.on('error', () => {})
    socket.pipe(server).pipe(socket)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  const address = proxy.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: Object.assign(new URL(own.url), { port: `${port}` }).href,
    stall() {
      for (const socket of open) socket.unpipe().pause()
    },
  }
}

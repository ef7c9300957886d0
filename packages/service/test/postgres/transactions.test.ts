/** A change happens whole or not at all, a read sees one moment, and nobody is left with an open transaction. */

import { refuse } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'
import { DatabaseBusy, DatabaseUnavailable } from '@latchkey/service/postgres'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { type Kysely, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openUntilEnd } from './open-test-database.ts'

interface Schema {
  notes: { text: string }
  counters: { id: number; value: number }
}

const isMissing = isPostgresMissing('transactions on PostgreSQL are not tested')

describe.skipIf(isMissing)('a transaction', () => {
  let own: OwnDatabase
  beforeAll(async () => {
    own = await ownDatabase()
    await own.sql(
      'create table notes (text text primary key); create table counters (id int primary key, value bigint)',
    )
  })
  beforeEach(() => own.sql('truncate notes, counters; insert into counters values (1, 0), (2, 0)'))
  const open = (options: Parameters<typeof openUntilEnd>[1] = {}) =>
    openUntilEnd<Schema>(own.url, options)
  const texts = async () => (await own.sql('select text from notes order by text')).split('\n')

  test('a refusal rolls it back and is the answer', async () => {
    const { change } = await open()
    const no = refuse('not_found', 'no')
    const answer = await change(async (tables) => {
      await tables.insertInto('notes').values({ text: 'a' }).execute()
      return no
    })
    expect(answer).toBe(no)
    expect(await texts()).toEqual([''])
  })

  test('an exception rolls it back, and the next change goes on', async () => {
    const { change } = await open({ connections: 1 })
    const failing = change(async (tables) => {
      await tables.insertInto('notes').values({ text: 'a' }).execute()
      throw new Error('broken')
    })
    const next = change((tables) => tables.insertInto('notes').values({ text: 'b' }).execute())
    await expect(failing).rejects.toThrow('broken')
    await next
    expect(await texts()).toEqual(['b'])
  })

  test('an error that the caller caught still rolls it back, and is no success', async () => {
    const { change } = await open()
    const changing = change(async (tables) => {
      await tables.insertInto('notes').values({ text: 'a' }).execute()
      await tables
        .insertInto('notes')
        .values({ text: 'a' })
        .execute()
        .catch(() => {})
    })
    await expect(changing).rejects.toThrow('rolled back')
    expect(await texts()).toEqual([''])
  })

  test('an exception of the caller that looks like a lost connection stays what it is', async () => {
    const { change } = await open()
    const error = Object.assign(new Error('of a file'), { code: 'ECONNRESET' })
    await expect(change(() => Promise.reject(error))).rejects.toBe(error)
  })

  test('a read sees one moment, whatever is committed meanwhile', async () => {
    const { read, change } = await open()
    const select = await read(async (tables) => {
      const query = tables.selectFrom('notes').selectAll()
      const before = await query.execute()
      await change((other) => other.insertInto('notes').values({ text: 'a' }).execute())
      return [before, await query.execute()]
    })
    expect(select).toEqual([[], []])
    expect(await texts()).toEqual(['a'])
  })

  test('a read cannot write', async () => {
    const { read } = await open()
    const writing = read((tables) => tables.insertInto('notes').values({ text: 'a' }).execute())
    await expect(writing).rejects.toThrow('read-only transaction')
    expect(await texts()).toEqual([''])
  })

  test('questions asked at the same time are answered one after the other', async () => {
    const { change } = await open()
    await change(async (tables) => {
      const insert = (text: string) => tables.insertInto('notes').values({ text }).execute()
      await Promise.all(['a', 'b', 'c'].map(insert))
    })
    expect(await texts()).toEqual(['a', 'b', 'c'])
  })

  test('tables that outlive their transaction change nothing', async () => {
    const { change } = await open()
    const kept = await change(async (tables) => ({ tables }))
    if (!('tables' in kept)) throw new Error('refused')
    const late = kept.tables.insertInto('notes').values({ text: 'late' }).execute()
    await expect(late).rejects.toThrow('the transaction is over')
    expect(await texts()).toEqual([''])
  })

  test('two processes that count lose no change', async () => {
    const both = [await open(), await open()]
    const count = ({ change }: Awaited<ReturnType<typeof open>>) =>
      change(async (tables) => {
        await tables
          .updateTable('counters')
          .set((columns) => ({ value: columns('value', '+', 1) }))
          .where('id', '=', 1)
          .execute()
      })
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => both[index % 2]).map((one) => one && count(one)),
    )
    expect(await own.sql('select value from counters where id = 1')).toBe('40')
  })

  test('a deadlock between two changes ends with both of them done', async () => {
    const { change } = await open({ changesAtOnce: 2 })
    const met = Promise.withResolvers<void>()
    let arrived = 0
    const both = (first: number, second: number) =>
      change(async (tables) => {
        const add = (id: number) =>
          tables
            .updateTable('counters')
            .set((columns) => ({ value: columns('value', '+', 1) }))
            .where('id', '=', id)
            .execute()
        await add(first)
        arrived += 1
        if (arrived === 2) met.resolve()
        await met.promise
        await add(second)
      })
    await Promise.all([both(1, 2), both(2, 1)])
    expect(await own.sql('select sum(value) from counters')).toBe('4')
  })

  test('a change waits while another holds its row, and says that it is busy in the end', async () => {
    const holder = await open()
    const { change } = await open({ lockTimeoutMs: 50, busyWaitMs: 300 })
    const insert = (text: string) => change((tables) => addAndLock(tables, text))
    const held = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    const holding = holder.change(async (tables) => {
      await addAndLock(tables, 'holder')
      inside.resolve()
      await held.promise
    })
    await inside.promise
    await expect(insert('early')).rejects.toThrow(DatabaseBusy)
    const waiting = (await open({ lockTimeoutMs: 50 })).change((tables) =>
      addAndLock(tables, 'later'),
    )
    held.resolve()
    await Promise.all([holding, waiting])
    expect(await texts()).toEqual(['holder', 'later'])
  })

  test('a statement that takes too long is ended as busy', async () => {
    const { read } = await open({ statementTimeoutMs: 50 })
    const slow = read((tables) => sql`select pg_sleep(600)`.execute(tables))
    await expect(slow).rejects.toThrow(DatabaseBusy)
  })

  test('where the server has no room left, nothing has happened and the error says so', async () => {
    await own.sql(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on notes for each row when (new.text = 'full') execute function full_disk()`)
    const { change } = await open()
    const changing = change(async (tables) => {
      await tables.insertInto('notes').values({ text: 'a' }).execute()
      await tables.insertInto('notes').values({ text: 'full' }).execute()
    })
    await expect(changing).rejects.toBeInstanceOf(StorageFull)
    expect(await texts()).toEqual([''])
  })

  test('a process that stands still in the middle loses its transaction', async () => {
    const { change } = await open({ statementTimeoutMs: 100 })
    const stalled = change(async (tables) => {
      await tables.insertInto('notes').values({ text: 'a' }).execute()
      const isOpen = `select count(*) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`
      await expect.poll(() => own.sql(isOpen)).toBe('0')
      await tables.insertInto('notes').values({ text: 'b' }).execute()
    })
    await expect(stalled).rejects.toThrow(DatabaseUnavailable)
    expect(await texts()).toEqual([''])
  })

  test('reads are answered while all changes wait', async () => {
    const { change, read } = await open({ connections: 2 })
    const inside = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const changing = change(async () => {
      inside.resolve()
      await held.promise
    })
    const waiting = change(async () => {})
    await inside.promise
    expect(await read((tables) => tables.selectFrom('notes').selectAll().execute())).toEqual([])
    held.resolve()
    await Promise.all([changing, waiting])
  })

  test('a change goes through while reads have all connections that they may have', async () => {
    const { change, read } = await open({ connections: 3, keptForChanges: 1 })
    const held = Promise.withResolvers<void>()
    onTestFinished(() => held.resolve())
    const both = Promise.withResolvers<void>()
    let inside = 0
    const reading = Array.from({ length: 4 }, () =>
      read(() => {
        inside += 1
        if (inside === 2) both.resolve()
        return held.promise
      }),
    )
    await both.promise
    await change((tables) => tables.insertInto('notes').values({ text: 'a' }).execute())
    expect(inside).toBe(2)
    held.resolve()
    await Promise.all(reading)
    expect(await texts()).toEqual(['a'])
  })

  test('a named statement is answered in one round trip, and prepared once for a connection', async () => {
    const { query } = await open({ connections: 1 })
    const ask = (text: string) =>
      query<{ id: number }>({
        name: 'by-value',
        text: 'select id from public.counters where value = $1 order by id',
        values: [text],
      })
    expect(await ask('0')).toEqual([{ id: 1 }, { id: 2 }])
    expect(await ask('7')).toEqual([])
    const prepared = await query<{ name: string }>({
      name: 'prepared',
      text: `select name from pg_prepared_statements where name = 'by-value'`,
    })
    expect(prepared).toEqual([{ name: 'by-value' }])
  })
})

async function addAndLock(tables: Kysely<Schema>, text: string): Promise<void> {
  await tables.updateTable('counters').set({ value: 1 }).where('id', '=', 1).execute()
  await tables.insertInto('notes').values({ text }).execute()
}

/** Writers share one connection: a transaction happens whole or not at all, and nothing runs inside another's. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { refuse } from '@latchkey/protocol'
import { openDatabase, StorageFull, writerQueue } from '@latchkey/service/database'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { afterEach, expect, test } from 'vitest'

interface Schema {
  notes: { text: string }
}

const migrations = ['CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT']
const opened: DatabaseSync[] = []

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
})

function newQueue() {
  const file = join(temporaryFolder(), 'notes.db')
  const database = openDatabase(file, migrations, { busyTimeoutMs: 0 })
  const other = new DatabaseSync(file)
  opened.push(database, other)
  const { read, change } = writerQueue<Schema>(database)
  return {
    read,
    change,
    database,
    other,
    texts: () => other.prepare('SELECT text FROM notes ORDER BY text').all().map(textOf),
  }
}

function textOf({ text }: Record<string, unknown>): unknown {
  return text
}

test('a refusal rolls the transaction back and is the answer', async () => {
  const { change, texts } = newQueue()
  const no = refuse('not_found', 'no')
  const answer = await change(async (tables) => {
    await tables.insertInto('notes').values({ text: 'a' }).execute()
    return no
  })
  expect(answer).toBe(no)
  expect(texts()).toEqual([])
})

test('an exception rolls the transaction back, and the queue goes on', async () => {
  const { change, texts } = newQueue()
  const failing = change(async (tables) => {
    await tables.insertInto('notes').values({ text: 'a' }).execute()
    throw new Error('broken')
  })
  const next = change((tables) => tables.insertInto('notes').values({ text: 'b' }).execute())
  await expect(failing).rejects.toThrow('broken')
  await next
  expect(texts()).toEqual(['b'])
})

test('a read sees nothing of a transaction that is rolled back', async () => {
  const { change, read } = newQueue()
  const inside = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const changing = change(async (tables) => {
    await tables.insertInto('notes').values({ text: 'a' }).execute()
    inside.resolve()
    await goOn.promise
    return refuse('not_found', 'no')
  })
  await inside.promise
  const reading = read((tables) => tables.selectFrom('notes').selectAll().execute())
  goOn.resolve()
  await changing
  expect(await reading).toEqual([])
})

test('a transaction waits until a read has made all its statements', async () => {
  const { change, read, texts } = newQueue()
  const inside = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const reading = read(async (tables) => {
    inside.resolve()
    await goOn.promise
    return tables.selectFrom('notes').selectAll().execute()
  })
  await inside.promise
  const changing = change((tables) => tables.insertInto('notes').values({ text: 'a' }).execute())
  setImmediate(goOn.resolve)
  expect(await reading).toEqual([])
  await changing
  expect(texts()).toEqual(['a'])
})

test('a transaction waits while another process holds the write lock', async () => {
  const { change, other, texts } = newQueue()
  other.exec("BEGIN IMMEDIATE; INSERT INTO notes VALUES ('theirs')")
  const changing = change((tables) => tables.insertInto('notes').values({ text: 'ours' }).execute())
  // The first attempt is made before any timer fires, and finds the lock held.
  setTimeout(() => other.exec('COMMIT'))
  await changing
  expect(texts()).toEqual(['ours', 'theirs'])
})

test('a disk without room is its own exception, and nothing has happened', async () => {
  const { change, database, texts } = newQueue()
  database.exec('PRAGMA max_page_count = 4')
  const changing = change(async (tables) => {
    for (let index = 0; index < 50; index += 1) {
      await tables
        .insertInto('notes')
        .values({ text: `${index}`.padStart(1000, '.') })
        .execute()
    }
  })
  await expect(changing).rejects.toBeInstanceOf(StorageFull)
  expect(texts()).toEqual([])
})

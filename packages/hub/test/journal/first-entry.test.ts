/** A directory that is older than the journal has a beginning in it, and every hub that opens it an entry. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dump } from '@latchkey/testing/hub/dump'
import { placesIn, startQuietly } from '@latchkey/testing/hub/prepared-data'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../src/stores/sqlite/migrations/migrations.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import { start } from '../directory/open-directory.ts'

/** A file as the program before the journal has left it. */
function ofVersion3(): string {
  const file = join(temporaryFolder(), 'hub.db')
  const database = new DatabaseSync(file)
  for (const step of migrations.slice(0, 3)) database.exec(step)
  database.exec("INSERT INTO accounts VALUES ('a', 'ada', 'user', 0, 0, 1)")
  database.exec('PRAGMA user_version = 3')
  database.close()
  return file
}

test('a database of version 3 gets its first entry, which changes shows and the next one names', async () => {
  const file = ofVersion3()
  const store = openSqliteStore(file)
  onTestFinished(() => store.close())
  const done = verbRunner(store, () => start)
  const shown = await done('changes')
  const [first] = shown['items'] as { number: number; at: string }[]
  expect(shown).toEqual({
    items: [
      {
        number: expect.any(Number),
        previous: 0,
        at: expect.any(String),
        verb: 'migrate',
        thing: 'journal',
        did: 'created',
        actor: {},
        narrows: false,
      },
    ],
    last: first?.number,
    oldest: 1,
  })
  expect(Date.parse(first?.at ?? '')).toBe(first?.number)

  await done('account set', { account: 'ada', disabled: true })
  const next = await done('changes', { after: String(first?.number) })
  expect(next['items']).toMatchObject([
    { previous: first?.number, account: 'ada', before: { disabled: false } },
  ])
})

test('opening the database again begins no second journal', () => {
  const file = ofVersion3()
  openSqliteStore(file).close()
  const before = dump(file)
  openSqliteStore(file).close()
  expect(dump(file)).toEqual(before)
})

test('every hub that opens a database leaves an entry before it answers', async () => {
  const { data, database } = placesIn(join(temporaryFolder(), 'data'))
  for (const opened of [1, 2]) {
    const hub = await startQuietly(data)
    const entries = dump(database)['journal'] ?? []
    await hub.stop()
    expect(entries.filter(({ thing }) => thing === 'hub')).toHaveLength(opened)
  }
})

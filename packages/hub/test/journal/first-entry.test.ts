/** A new directory has a first entry in its journal, and every hub that opens it adds one. */

import { join } from 'node:path'
import { dump } from '@latchkey/testing/hub/dump'
import { placesIn, startQuietly } from '@latchkey/testing/hub/prepared-data'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import { start } from '../verbs/open-directory.ts'

test('a new database has a first entry, which changes shows and the next one names', async () => {
  const store = openSqliteStore(join(temporaryFolder(), 'hub.db'))
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

  await done('account create', { name: 'ada' })
  const next = await done('changes', { after: String(first?.number) })
  expect(next['items']).toMatchObject([{ previous: first?.number, account: 'ada' }])
})

test('opening the database again begins no second journal', () => {
  const file = join(temporaryFolder(), 'hub.db')
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

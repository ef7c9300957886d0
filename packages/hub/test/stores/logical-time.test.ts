/** A database in which moments are seconds is brought to numbers, and shows what it showed. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '@latchkey/service/database'
import { complaints, dump } from '@latchkey/testing/hub/dump'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../src/stores/sqlite/migrations/migrations.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'

/** A file of version 4: `dev` was forked, and commit `c` recorded on `main`, in the given second. */
function ofVersion4(second: number): string {
  const file = join(temporaryFolder(), 'hub.db')
  const database = new DatabaseSync(file)
  for (const step of migrations.slice(0, 4)) database.exec(step)
  database.exec(`
    INSERT INTO namespaces VALUES ('n', 'acme', 1);
    INSERT INTO repositories VALUES ('r', 'n', 'models/acme/bert', 'public', 'refs/heads/main', '[]', 1, 0);
    INSERT INTO refs VALUES (1, 'main', 'r', 'refs/heads/main', 'c', NULL, NULL, NULL, 1);
    INSERT INTO refs VALUES
      (2, 'dev', 'r', 'refs/heads/dev', 'c', 'refs/heads/main', 'main', ${second}, ${second});
    INSERT INTO commits VALUES ('u', 'r', 'c', ${second});
    INSERT INTO commit_holders VALUES (1, 'r', 'c', 'main', ${second});
    PRAGMA user_version = 4`)
  database.close()
  return file
}

function migrated(file: string) {
  openDatabase(file, migrations).close()
  expect(complaints(file)).toEqual([])
  return dump(file)
}

const now = () => Math.floor(Date.now() / 1000)

test('what was written up to the second of a fork or commit is seen, what came later is not', () => {
  const second = 1_700_000_000
  const { refs = [], commit_holders: holders = [] } = migrated(ofVersion4(second))
  const before = [refs[1]?.['forked_number'], holders[0]?.['recorded_number']].map(Number)
  expect(refs[0]?.['forked_number']).toBeNull()
  for (const number of before) {
    for (const written of [second - 1, second, second + 1, second + 2]) {
      const [wasSeen, isSeen] = [written <= second, written * 1000 < number]
      expect(isSeen, `${written}`).toBe(wasSeen)
    }
  }
})

test.each([
  ['in this second', () => now()],
  ['by a clock that was wrong, in an hour', () => now() + 3600],
])('after a fork %s, whatever is written next is not seen by it', async (_, second) => {
  const file = ofVersion4(second())
  const store = openSqliteStore(file)
  onTestFinished(() => store.close())
  const { refs = [], journal_head: heads = [] } = dump(file)
  const forked = Number(refs[1]?.['forked_number'])
  expect(heads[0]?.['number']).toBeGreaterThanOrEqual(forked)
  const next = await store.directory.change(async ({ number }) => number)
  expect(next).toBeGreaterThan(forked)
})

test('the journal goes on with an entry that names the one before, and no second one', () => {
  const file = ofVersion4(now() + 3600)
  const { journal: entries = [] } = migrated(file)
  expect(entries).toMatchObject([
    { verb: 'migrate', did: 'created' },
    { verb: 'migrate', thing: 'journal', did: 'changed', previous: entries[0]?.['number'] },
  ])
  replayJournal(dump(file))
  expect(migrated(file)['journal']).toEqual(entries)
})

test('a database whose forks and commits are old gets no entry, and another mark for the caches', () => {
  const file = ofVersion4(1_700_000_000)
  const before = dump(file)
  const after = migrated(file)
  expect(after['journal']).toEqual(before['journal'])
  const [head] = after['journal_head'] ?? []
  expect(head).toMatchObject({ number: before['journal_head']?.[0]?.['number'], is_open: 0 })
  expect(head?.['mark']).not.toBe(before['journal_head']?.[0]?.['mark'])
})

test('no trigger removes stored content any more', () => {
  const file = ofVersion4(1_700_000_000)
  migrated(file)
  const database = new DatabaseSync(file)
  const triggers = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%content_removed'",
    )
    .all()
  database.close()
  expect(triggers).toEqual([])
})

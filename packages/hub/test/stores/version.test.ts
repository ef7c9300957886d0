/** The version of a SQLite store: the journal's number, whatever else is written to the file. */

import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parseRepoRef, parseRevision, unixSeconds } from '@latchkey/protocol'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, onTestFinished, test } from 'vitest'
import type { AccessStore } from '../../src/access/access-store.ts'
import { accessOf } from '../../src/access/find-access.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import { sqliteAccess } from '../../src/stores/sqlite/sqlite-access.ts'

const repo = parseRepoRef('models/acme/bert')
const asked = { hubTokenHash: undefined, repo, revision: parseRevision('main') }
const now = unixSeconds(1_800_000_000)

/** The other connection stands for a hub or a command that writes to the same file. */
async function opened() {
  const file = join(temporaryFolder(), 'hub.db')
  const store = openSqliteStore(file)
  const other = new DatabaseSync(file)
  const reading = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => {
    reading.close()
    other.close()
    store.close()
  })
  let lookups = 0
  const counted: AccessStore = {
    ...store.access,
    find(question) {
      lookups += 1
      return store.access.find(question)
    },
    findPrefixes() {
      lookups += 1
      return store.access.findPrefixes()
    },
  }
  const access = accessOf(counted)
  // A repository is cached when it is asked for again.
  await access.findAccess({ now, ...asked })
  const lookedUp = async () => {
    lookups = 0
    await new Promise((resolve) => void setImmediate(resolve))
    await access.knownPrefixes()
    await access.findAccess({ now, ...asked })
    return lookups
  }
  return { store, other, reading, lookedUp, version: () => store.access.version() }
}

/** The value must differ from the last one: SQLite does not commit what changes nothing. */
const note = (other: DatabaseSync, value: number) =>
  other.exec(`INSERT INTO settings VALUES ('noted', '${value}')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
const change = (other: DatabaseSync) =>
  other.exec('UPDATE journal_head SET number = number + 1, mark = random() & 9007199254740991')

test('notes beside token requests cause not one lookup more in the hub', async () => {
  const { other, lookedUp } = await opened()
  expect(await lookedUp()).toBe(2)
  for (let value = 0; value < 20; value += 1) {
    note(other, value)
    expect(await lookedUp()).toBe(0)
  }
})

test('a change of the directory is noticed by the next request, also among notes', async () => {
  const { other, lookedUp } = await opened()
  await lookedUp()
  for (let round = 0; round < 5; round += 1) {
    note(other, 3 * round)
    change(other)
    note(other, 3 * round + 1)
    expect(await lookedUp()).toBe(2)
    note(other, 3 * round + 2)
    expect(await lookedUp()).toBe(0)
  }
})

test('a change that a lookup has seen before the version did is noticed all the same', async () => {
  const { store, other, version } = await opened()
  const before = await version()
  change(other)
  const question = { now: unixSeconds(0), hubTokenHash: 'hash', about: undefined }
  await store.access.find({ ...question, viewerOf: () => undefined })
  expect(await version()).not.toEqual(before)
})

test('a change between or after the two statements that read the version is noticed', async () => {
  const { other, reading } = await opened()
  const journalHead = reading.prepare('SELECT number, mark FROM journal_head')
  const versionThen = () => ({ ...journalHead.get(), learned: expect.anything() })
  /** Another connection commits just before or just after the number is read. */
  const readNumber = { before: () => {}, after: () => {} }
  const prepare = (sql: string) => {
    const statement = reading.prepare(sql)
    if (!sql.includes('journal_head')) return statement
    const get = () => {
      readNumber.before()
      const row = statement.get()
      readNumber.after()
      return row
    }
    return { get } as StatementSync
  }
  const { version } = sqliteAccess({ prepare } as DatabaseSync)
  await version()
  for (const [index, moment] of (['before', 'after'] as const).entries()) {
    note(other, index)
    readNumber[moment] = () => change(other)
    await version()
    readNumber[moment] = () => {}
    expect(await version(), moment).toEqual(versionThen())
  }
})

test('a write past the journal is noticed too, as an older version or another program makes it', async () => {
  const { other, lookedUp } = await opened()
  await lookedUp()
  for (const written of [
    "INSERT INTO accounts VALUES ('a', 'ada', 'user', 0, 0, 1, 'admin')",
    'UPDATE accounts SET disabled = 1',
    'DELETE FROM accounts',
    "INSERT INTO hub_token_prefixes VALUES ('old_', 1)",
  ]) {
    other.exec(written)
    expect(await lookedUp(), written).toBe(2)
    expect(await lookedUp(), written).toBe(0)
  }
})

test('a note of the last use is not noticed', async () => {
  const { other, lookedUp } = await opened()
  other.exec("INSERT INTO accounts VALUES ('a', 'ada', 'user', 0, 0, 1, 'admin')")
  other.exec(`INSERT INTO hub_tokens VALUES
    ('t', 'a', 'laptop', 'read', 'admin', 'hash', 'hint', '[]', NULL, NULL, NULL, 1, NULL, NULL, NULL)`)
  await lookedUp()
  other.exec('UPDATE hub_tokens SET last_used_at = 2')
  expect(await lookedUp()).toBe(0)
  other.exec('UPDATE hub_tokens SET revoked_at = 2')
  expect(await lookedUp()).toBe(2)
})

test('a number that a copy which was put back uses again is another version', async () => {
  const { other, version } = await opened()
  const head = () => other.prepare('SELECT number, mark FROM journal_head').get()
  const before = head()
  other.exec("INSERT INTO accounts VALUES ('a', 'ada', 'user', 0, 0, 1, 'admin')")
  change(other)
  const first = await version()
  other.exec(`DELETE FROM accounts; UPDATE journal_head SET number = ${before?.['number']}`)
  other.exec("INSERT INTO accounts VALUES ('b', 'bob', 'user', 0, 0, 1, 'admin')")
  change(other)
  expect(await version()).not.toEqual(first)
})

test('a change that is not committed does not count', async () => {
  const { other, lookedUp } = await opened()
  await lookedUp()
  other.exec('BEGIN')
  change(other)
  expect(await lookedUp()).toBe(0)
  other.exec('COMMIT')
  expect(await lookedUp()).toBe(2)
})

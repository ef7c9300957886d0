/** Opening a database: once or many times, alone or with others, it ends at the same schema. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hubTokenKinds } from '@latchkey/protocol'
import { openDatabase } from '@latchkey/service/database'
import { CannotStart } from '@latchkey/service/machine/errors'
import { rounds } from '@latchkey/testing/chance'
import { publishedKids } from '@latchkey/testing/hub/ask-hub'
import { serve } from '@latchkey/testing/machine/command'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../src/stores/sqlite/migrations/migrations.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'

const processes = rounds(2, 4)

describe('a database file', () => {
  test('opened again is what it was', () => {
    const file = newFile()
    openDatabase(file, migrations).close()
    const first = schemaOf(file)
    openDatabase(file, migrations).close()
    expect(schemaOf(file)).toEqual(first)
    expect(first.version).toBeGreaterThan(0)
  })

  test('that another process writes to at the start is waited for, however briefly a change would wait', async () => {
    const file = newFile()
    openDatabase(file, migrations).close()
    await writeElsewhere(file, 3000)
    openSqliteStore(file, { busyTimeoutMs: 1 }).close()
    const alone = newFile()
    openSqliteStore(alone).close()
    expect(schemaOf(file)).toEqual(schemaOf(alone))
  })

  test('that cannot be brought to this version keeps the one it had', () => {
    const file = newFile()
    const other = new DatabaseSync(file)
    other.exec('CREATE TABLE hub_tokens (something TEXT)')
    other.close()
    expect(() => openDatabase(file, migrations)).toThrow(CannotStart)
    expect(schemaOf(file)).toMatchObject({ version: 0, names: ['hub_tokens'] })
  })

  test('enforces foreign keys, syncs every commit and journals ahead', () => {
    const database = openDatabase(newFile(), migrations)
    const pragma = (name: string) =>
      Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
    expect(pragma('foreign_keys')).toBe(1)
    expect(pragma('synchronous')).toBe(2)
    expect(pragma('journal_mode')).toBe('wal')
    database.close()
  })

  test('takes every kind of hub token and no other, one live name for an account, and marks it', () => {
    const database = openDatabase(newFile(), migrations)
    database.exec("INSERT INTO accounts VALUES ('a', 'ada', 'user', 1, 0, 1, 'admin')")
    const markOf = () => database.prepare('SELECT mark FROM journal_head').get()?.['mark']
    const make = (id: string, kind: string) =>
      database.exec(
        `INSERT INTO hub_tokens VALUES ('${id}', 'a', '${id}', '${kind}', 'admin', '${id}', '', '[]', NULL, NULL, ${kind === 'storage' ? "'default'" : 'NULL'}, 1, NULL, NULL, NULL)`,
      )
    for (const kind of hubTokenKinds) {
      const before = markOf()
      make(`of kind ${kind}`, kind)
      expect(markOf()).not.toBe(before)
    }
    expect(() => make('x', 'owner')).toThrow('CHECK')
    expect(() => make('OF KIND READ', 'read')).toThrow('UNIQUE')
    database.exec("DELETE FROM accounts WHERE id = 'a'")
    expect(database.prepare('SELECT count(*) AS left FROM hub_tokens').get()).toEqual({ left: 0 })
    database.close()
  })

  test('refused leaves no connection open', () => {
    const file = newFile()
    const newer = new DatabaseSync(file)
    newer.exec('PRAGMA journal_mode = WAL; PRAGMA user_version = 999')
    newer.close()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(() => openSqliteStore(file)).toThrow(CannotStart)
    }
    // The last connection to close takes the journal with it; one that stays open keeps it.
    new DatabaseSync(file).close()
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).toBeUndefined()
  })
})

test(`${processes} hubs that start at once on an empty directory agree on one database and one key`, async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  const hubs = await Promise.all(
    Array.from({ length: processes }, () =>
      serve(['--no-storage', '--data', data], { cwd: folder }),
    ),
  )
  const kids = await Promise.all(hubs.map(({ url }) => publishedKids(url)))
  const ended = await Promise.all(hubs.map((hub) => hub.end('SIGTERM')))
  expect(new Set(kids.flat()).size).toBe(1)
  expect(kids.map((each) => each.length)).toEqual(hubs.map(() => 1))
  expect(ended.map(({ code }) => code)).toEqual(hubs.map(() => 0))
  const alone = newFile()
  openSqliteStore(alone).close()
  expect(schemaOf(join(data, 'latchkey.db'))).toEqual(schemaOf(alone))
})

function newFile(): string {
  return join(temporaryFolder(), 'hub.db')
}

function schemaOf(file: string) {
  const database = new DatabaseSync(file)
  const rows = database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  const version = database.prepare('PRAGMA user_version').get()?.['user_version']
  database.close()
  return { version, names: rows.map(({ name }) => name), sql: rows.map(({ sql }) => sql) }
}

/** Another process has begun to write, and ends after this time. */
async function writeElsewhere(file: string, ms: number): Promise<void> {
  const script = `
    const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
    database.exec('BEGIN IMMEDIATE')
    process.stdout.write('writing')
    setTimeout(() => database.exec('COMMIT'), ${ms})`
  const child = spawn(process.execPath, ['-e', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
}

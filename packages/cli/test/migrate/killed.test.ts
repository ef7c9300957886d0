/** SIGKILL during `latchkey migrate`: the target is as before or whole, and the next run succeeds. */

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { openPostgres, readPostgresSettings } from '@latchkey/service/postgres'
import { complaints, type Dump } from '@latchkey/testing/hub/dump'
import type { Prepared } from '@latchkey/testing/hub/prepared-data'
import { launch } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { expectSame, prepareFull, rowsIn } from './full-directory.ts'

const isMissing = isPostgresMissing('it is not shown that a copy that is killed changes nothing')

describe.skipIf(isMissing)('latchkey migrate that is killed', () => {
  const cwd = sharedFolder()
  let full: Prepared
  let server: OwnDatabase
  let before: Dump
  beforeAll(async () => {
    full = await prepareFull(cwd)
    fill(full.database)
    before = rowsIn(full.database)
    server = await ownDatabase()
  })
  beforeEach(async () => {
    await server.sql('drop schema if exists latchkey_hub cascade')
    removeFile()
  })

  const around = () => ({ cwd, env: { LATCHKEY_DATABASE: server.url } })
  const there = () => ['migrate', '--from', 'sqlite:latchkey.db', '--data', full.data]
  const back = () => ['migrate', '--to', 'sqlite:back.db', '--data', full.data]
  const file = () => join(full.data, 'back.db')
  const removeFile = () => {
    for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(file() + ending, { force: true })
  }
  const done = async (args: readonly string[]) => {
    const { code, stderr } = await latchkeyHere(args, around())
    expect(code, stderr).toBe(0)
  }
  const listed = async (...args: readonly string[]) => {
    const list = ['account', 'list', '--json', '--data', full.data]
    const { code, stdout, stderr } = await latchkeyHere([...list, ...args], around())
    if (code === 0) return JSON.parse(stdout).items.length
    expect(stderr).toMatch(/there is no database|is empty or gone/)
    return 0
  }

  /** Holds the lock that the trigger waits for while the command runs into it and is killed. */
  async function killAtLock(args: readonly string[]): Promise<void> {
    const settings = readPostgresSettings(server.url)
    const holding = await openPostgres({ settings, schema: 'public', connections: 1 })
    await holding.query({ name: 'hold', text: 'SELECT pg_advisory_lock(1)' })
    const { child, ended } = launch(args, around())
    const text = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
    while ((await holding.query({ name: 'waiting', text })).length === 0) await delay(20)
    child.kill('SIGKILL')
    expect(await ended).toMatchObject({ code: null })
    await holding.close()
  }

  test.each(['accounts', 'journal'])(
    'in the middle of a copy into PostgreSQL, at %s, leaves an empty database',
    async (table) => {
      await done(['migrate'])
      await server.sql(`
        create function latchkey_hub.wait() returns trigger language plpgsql as
          $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
        create trigger wait before insert on latchkey_hub.${table}
          for each row execute function latchkey_hub.wait()`)
      await killAtLock(there())
      expect(await listed()).toBe(0)
      // It waits for what the server still does for the one that was killed.
      await done(there())
      await done(back())
      expectSame(rowsIn(file()), before)
    },
  )

  test('while it copies into a file leaves an empty one, or the whole copy', async () => {
    await done(there())
    const workMs = await durationOf(back())
    for (const part of [0.6, 0.8]) {
      removeFile()
      await killAfter(back(), workMs * part)
      if (existsSync(file())) expect(complaints(file())).toEqual([])
      if ((await listed('--database', 'sqlite:back.db')) === 0) await done(back())
      expect(complaints(file())).toEqual([])
      expectSame(rowsIn(file()), before)
    }
  })

  test('while it makes the tables leaves none, or all of them', async () => {
    const tables = () =>
      server.sql(`select count(*) from pg_tables where schemaname = 'latchkey_hub'`)
    const workMs = await durationOf(['migrate'])
    const all = await tables()
    for (const part of [0.7, 0.85]) {
      await server.sql('drop schema if exists latchkey_hub cascade')
      await killAfter(['migrate'], workMs * part)
      expect(['0', all]).toContain(await tables())
      await done(['migrate'])
      expect(await tables()).toBe(all)
    }
  })

  async function durationOf(args: readonly string[]): Promise<number> {
    const startedMs = performance.now()
    const { code, stderr } = await launch(args, around()).ended
    expect(code, stderr).toBe(0)
    return performance.now() - startedMs
  }

  async function killAfter(args: readonly string[], milliseconds: number): Promise<void> {
    const { child, ended } = launch(args, around())
    await Promise.race([ended, delay(milliseconds)])
    child.kill('SIGKILL')
    const { code, stderr } = await ended
    if (code !== null) expect(code, stderr).toBe(0)
  }
})

/** So many rows that the journal takes more than one page of a copy. */
function fill(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(`
    UPDATE journal_head SET is_open = 1;
    WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 2200)
      INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
        SELECT n, n - 1, n, 'account create', 'account', 'created', 0, '{"after":{}}' FROM some;
    UPDATE journal_head SET is_open = 0;
  `)
  database.close()
}

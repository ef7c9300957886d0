/** A schema is migrated once and whole, by whichever process comes first, and by none that may not. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CannotStart } from '@latchkey/service/machine/errors'
import { migratePostgres, pendingSql } from '@latchkey/service/postgres'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openUntilEnd } from './open-test-database.ts'
import { settingsOf } from './settings-of.ts'

const schema = 'latchkey_test'
const first = 'CREATE TABLE notes (text text); INSERT INTO notes VALUES (1);'
const second = 'ALTER TABLE notes ADD COLUMN more text'

/** Does not end before five have connected, so that they are in each other's way. */
const untilFive = `DO $$ BEGIN
  WHILE (SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'latchkey') < 5
  LOOP PERFORM pg_sleep(0.05), pg_stat_clear_snapshot(); END LOOP;
END $$`

const isMissing = isPostgresMissing('no schema of PostgreSQL is migrated')

describe.skipIf(isMissing)('a migration', () => {
  let own: OwnDatabase
  beforeAll(async () => {
    own = await ownDatabase()
  })
  beforeEach(() => own.sql(`drop schema if exists ${schema} cascade`))
  const migrate = (migrations: readonly string[], url = own.url) =>
    migratePostgres({ settings: settingsOf(url), schema, migrations })
  const pending = (migrations: readonly string[]) =>
    pendingSql({ settings: settingsOf(own.url), schema, migrations })
  const version = () => own.sql(`select version from ${schema}.schema_version`)
  const processFor = (migrations: readonly string[]) =>
    spawn(
      process.execPath,
      [join(import.meta.dirname, 'migrate-process.ts'), own.url, JSON.stringify(migrations)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )

  test('of a newer program is refused, and changes nothing', async () => {
    await migrate([first, second])
    const refused = migrate([first])
    await expect(refused).rejects.toThrow(CannotStart)
    await expect(refused).rejects.toThrow('has version 2, this program knows up to 1')
    await expect(pending([first])).rejects.toThrow('written by a newer version of Latchkey')
    expect(await version()).toBe('2')
  })

  test('by a role that may not is refused with the command to run, and without need it is let through', async () => {
    const { createRole } = own.cluster
    const reader = `reader_${own.name}`
    await createRole(reader)
    const url = own.cluster.url(own.name, reader)
    await expect(migrate([first], url)).rejects.toThrow('Run `latchkey migrate`')
    await migrate([first])
    await own.sql(
      `grant usage on schema ${schema} to ${reader}; grant select on ${schema}.schema_version to ${reader}`,
    )
    expect(await migrate([first], url)).toEqual({ from: 1, to: 1 })
    const refused = migrate([first, second], url)
    await expect(refused).rejects.toThrow(`the role ${reader} may not change its tables`)
    await expect(refused).rejects.toThrow('has version 1 and this program needs 2')
    expect(await version()).toBe('1')
    await own.sql(`drop owned by ${reader}; drop role ${reader}`)
  })

  test('with a step that fails leaves the version and the tables that were there', async () => {
    await migrate([first])
    await expect(migrate([first, second, 'SELECT wrong'])).rejects.toThrow('was not migrated')
    expect(await version()).toBe('1')
    expect(await own.sql(`select * from ${schema}.notes`)).toBe('1')
  })

  test('runs each step once, also for a program that is upgraded', async () => {
    expect(await migrate([first])).toEqual({ from: 0, to: 1 })
    expect(await migrate([first, second])).toEqual({ from: 1, to: 2 })
    expect(await migrate([first, second])).toEqual({ from: 2, to: 2 })
    expect(await own.sql(`select * from ${schema}.notes`)).toBe('1|')
  })

  test('runs on the connection that then answers', async () => {
    const migrations = ['CREATE TABLE notes AS SELECT pg_backend_pid() AS text']
    const { query } = await openUntilEnd(own.url, { schema, migrated: { schema, migrations } })
    const text = `select text = pg_backend_pid() as same from ${schema}.notes`
    expect(await query({ name: 'same', text })).toEqual([{ same: 1 }])
  })

  test('makes no schema where it must be there', async () => {
    const migrated = { schema, migrations: [first], missing: 'there is none' }
    const refused = openUntilEnd(own.url, { schema, migrated })
    await expect(refused).rejects.toThrow(new CannotStart('there is none'))
    expect(await own.sql(`select to_regnamespace('${schema}') is null`)).toBe('t')
    await migrate([first])
    await openUntilEnd(own.url, { schema, migrated })
  })

  test('can be read before it is run: the text does the same, and nothing was changed by reading', async () => {
    const shown = await pending([first, second])
    expect(await own.sql(`select to_regnamespace('${schema}') is null`)).toBe('t')
    await own.sql(shown)
    expect(await migrate([first, second])).toEqual({ from: 2, to: 2 })
    expect(await pending([first, second])).toBe('')
    expect(await own.sql(`select * from ${schema}.notes`)).toBe('1|')
  })

  test('is made once where five programs start together, two of them in processes of their own', async () => {
    const migrations = [first, second, untilFive]
    const here = Array.from({ length: 3 }, () => migrate(migrations))
    const elsewhere = [0, 1].map(() => outcome(processFor(migrations)))
    const all = await Promise.all(elsewhere)
    expect(all.map(({ error }) => error)).toEqual(['', ''])
    const results = [...all.map(({ said }) => JSON.parse(said)), ...(await Promise.all(here))]
    expect(results).toHaveLength(5)
    expect(results.filter(({ from }) => from === 0)).toHaveLength(1)
    expect(results.every(({ to }) => to === 3)).toBe(true)
    expect(await own.sql(`select * from ${schema}.notes`)).toBe('1|')
  })

  test('whose process is killed in the middle has not happened, and the next process makes it', async () => {
    const child = processFor([first, 'SELECT pg_sleep(3)'])
    const isSleeping = `select count(*) from pg_stat_activity where datname = current_database() and query = 'SELECT pg_sleep(3)'`
    await expect.poll(() => own.sql(isSleeping)).toBe('1')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await own.sql(`select to_regnamespace('${schema}') is null`)).toBe('t')
    expect(await migrate([first, second])).toEqual({ from: 0, to: 2 })
    expect(await own.sql(`select * from ${schema}.notes`)).toBe('1|')
  })
})

async function outcome(child: ChildProcess): Promise<{ said: string; error: string }> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('no output')
  const [said, error] = await Promise.all([text(stdout), text(stderr), once(child, 'exit')])
  return { said, error }
}

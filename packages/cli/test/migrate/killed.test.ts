/** SIGKILL during `latchkey migrate`: before, after, or a copy that nobody uses and the next run finishes. */

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { complaints, type Dump } from '@latchkey/testing/hub/dump'
import type { Prepared } from '@latchkey/testing/hub/prepared-data'
import { type Ended, latchkey, launch } from '@latchkey/testing/machine/command'
import { copyOfData, sharedFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareFull, rowsIn } from './full-directory.ts'

const count = rounds(2, 70)
const isMissing = isPostgresMissing('it is not shown that a copy that is killed can be finished')
const chance = printedChance('migrate')

describe.skipIf(isMissing)('killed at random moments', () => {
  const cwd = sharedFolder()
  let full: Prepared
  let server: OwnDatabase
  let before: Dump
  let data = ''
  beforeAll(async () => {
    full = await prepareFull(cwd)
    fill(full.database)
    before = rowsIn(full.database)
    server = await ownDatabase()
    data = copyOfData(full.data, join(cwd, 'copy'))
  })

  const around = () => ({ cwd, env: { LATCHKEY_DATABASE: server.url } })
  const there = () => ['migrate', '--from', 'sqlite:latchkey.db', '--data', data]
  const back = () => ['migrate', '--to', 'sqlite:back.db', '--data', data]
  const drop = () => server.sql('drop schema if exists latchkey_hub cascade')
  const removeBack = () => {
    for (const ending of ['', '-wal', '-shm', '-journal']) {
      rmSync(join(data, `back.db${ending}`), { force: true })
    }
  }

  test(`a copy into PostgreSQL, ${count} times`, { timeout: 1_800_000 }, async () => {
    await drop()
    const sides = sidesOf('migrate to PostgreSQL')
    const wholeMs = await measure(() => done(there(), around()))
    for (let round = 0; round < count; round += 1) {
      await drop()
      await killed(there(), around(), wholeMs)
      const shown = await latchkey(['account', 'list', '--data', data, '--json'], around())
      const side = sides.note(shown)
      if (side === 'done') expect(JSON.parse(shown.stdout).items).not.toEqual([])
      if (side !== 'done') await done(there(), around())
      removeBack()
      await done(back(), around())
      expect(rowsIn(join(data, 'back.db'))).toEqual(before)
    }
    sides.print()
  })

  test(`a copy into a file, ${count} times`, { timeout: 1_800_000 }, async () => {
    await drop()
    await done(there(), around())
    removeBack()
    const sides = sidesOf('migrate to a file')
    const wholeMs = await measure(() => done(back(), around()))
    const file = join(data, 'back.db')
    const here = ['account', 'list', '--data', data, '--json', '--database', 'sqlite:back.db']
    for (let round = 0; round < count; round += 1) {
      removeBack()
      await killed(back(), around(), wholeMs)
      if (existsSync(file)) expect(complaints(file)).toEqual([])
      if (sides.note(await latchkey(here, { cwd })) !== 'done') await done(back(), around())
      expect(complaints(file)).toEqual([])
      expect(rowsIn(file)).toEqual(before)
    }
    sides.print()
  })

  test(`the making of the tables, ${count} times`, { timeout: 1_800_000 }, async () => {
    await drop()
    const tables = `select count(*) from pg_tables where schemaname = 'latchkey_hub'`
    const wholeMs = await measure(() => done(['migrate'], around()))
    const all = await server.sql(tables)
    for (let round = 0; round < count; round += 1) {
      await drop()
      await killed(['migrate'], around(), wholeMs)
      expect(['0', all]).toContain(await server.sql(tables))
      await done(['migrate'], around())
      expect(await server.sql(tables)).toBe(all)
    }
  })
})

/** So many rows that the copy has many pages. */
function fill(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(`
    UPDATE journal_head SET is_open = 1;
    WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 5000)
      INSERT INTO accounts SELECT printf('filler-%05d', n), printf('filler-%05d', n), 'user', 0, 0, 1800000000 + n FROM some;
    WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 15000)
      INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
        SELECT n, n - 1, n, 'account create', 'account', 'created', 0, '{"after":{}}' FROM some;
    UPDATE journal_head SET is_open = 0;
  `)
  database.close()
}

async function done(args: readonly string[], around: Parameters<typeof latchkey>[1]) {
  const { code, stderr } = await latchkey(args, around)
  expect(code, stderr).toBe(0)
}

async function measure(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Most of the first third is the loading of the program. */
async function killed(
  args: readonly string[],
  around: Parameters<typeof latchkey>[1],
  wholeMs: number,
): Promise<void> {
  const { child, ended } = launch(args, around)
  const timer = setTimeout(() => child.kill('SIGKILL'), wholeMs * (0.25 + chance.next() * 0.8))
  await ended
  clearTimeout(timer)
}

type Side = 'before' | 'unfinished' | 'done'

/** What a command finds after a kill, of which nothing is in between. */
function sidesOf(what: string) {
  const sides: Record<Side, number> = { before: 0, unfinished: 0, done: 0 }
  return {
    note({ code, stdout, stderr }: Ended): Side {
      const side = sideOf(code, stdout, stderr)
      sides[side] += 1
      return side
    },
    print() {
      const { before, unfinished, done } = sides
      process.stdout.write(
        `${what}: ${before} times as before, ${unfinished} times unfinished, ${done} times done\n`,
      )
    },
  }
}

function sideOf(code: number | null, stdout: string, stderr: string): Side {
  if (code === 0) return JSON.parse(stdout).items.length === 0 ? 'before' : 'done'
  expect(code).toBe(3)
  const isUnfinished = /a copy that is not finished, so it is not used/.test(stderr)
  if (!isUnfinished) expect(stderr).toMatch(/there is no database|has no schema|is empty or gone/)
  return isUnfinished ? 'unfinished' : 'before'
}

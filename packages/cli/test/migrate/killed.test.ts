/** SIGKILL during `latchkey migrate`: before, after, or a copy that nobody uses and the next run finishes. */

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import {
  openPostgres,
  type PostgresDatabase,
  readPostgresSettings,
} from '@latchkey/service/postgres'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { complaints, type Dump } from '@latchkey/testing/hub/dump'
import type { Prepared } from '@latchkey/testing/hub/prepared-data'
import { launch, type Running } from '@latchkey/testing/machine/command'
import { copyOfData, sharedFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import type { Ended } from '../run-latchkey.ts'
import { prepareFull, rowsIn } from './full-directory.ts'

const count = rounds(20, 200)
/** Half of the copies go into PostgreSQL, half back into a file. */
const copies = count / 2
const timeout = 1_800_000
const isMissing = isPostgresMissing('it is not shown that a copy that is killed can be finished')
const chance = printedChance('migrate')

describe.skipIf(isMissing)('killed at random moments', () => {
  const cwd = sharedFolder()
  let full: Prepared
  let server: OwnDatabase
  let before: Dump
  let data = ''
  let watching: PostgresDatabase<object>
  beforeAll(async () => {
    full = await prepareFull(cwd)
    fill(full.database)
    before = rowsIn(full.database)
    server = await ownDatabase()
    data = copyOfData(full.data, join(cwd, 'copy'))
    watching = await openPostgres({
      settings: readPostgresSettings(server.url),
      schema: 'public',
      connections: 1,
    })
  })
  afterAll(() => watching?.close())

  const around = () => ({ cwd, env: { LATCHKEY_DATABASE: server.url } })
  const tables = async () => {
    const [row] = await watching.query<{ count: number }>({
      name: 'tables',
      text: `select count(*) from pg_tables where schemaname = 'latchkey_hub'`,
    })
    return Number(row?.count)
  }
  const intoPostgres = (...args: readonly string[]): Victim => ({
    args,
    isTraced: async () => (await tables()) > 0,
    reset: async () => void (await server.sql('drop schema if exists latchkey_hub cascade')),
  })
  const file = () => join(data, 'back.db')
  const there = () => intoPostgres('migrate', '--from', 'sqlite:latchkey.db', '--data', data)
  const back = (): Victim => ({
    args: ['migrate', '--to', 'sqlite:back.db', '--data', data],
    isTraced: async () => existsSync(file()),
    async reset() {
      for (const ending of ['', '-wal', '-shm', '-journal']) {
        rmSync(file() + ending, { force: true })
      }
    },
  })

  test(`a copy into PostgreSQL, ${copies} times`, { timeout }, async () => {
    const sides = sidesOf('migrate to PostgreSQL')
    const course = await measure(there(), around())
    for (let round = 0; round < copies; round += 1) {
      await killed(there(), around(), course)
      const shown = await latchkeyHere(['account', 'list', '--data', data, '--json'], around())
      if (sides.note(shown) !== 'done') await done(there().args, around())
      await back().reset()
      await done(back().args, around())
      expect(rowsIn(file())).toEqual(before)
    }
    sides.print()
  })

  test(`a copy into a file, ${copies} times`, { timeout }, async () => {
    await there().reset()
    await done(there().args, around())
    const sides = sidesOf('migrate to a file')
    const course = await measure(back(), around())
    const here = ['account', 'list', '--data', data, '--json', '--database', 'sqlite:back.db']
    for (let round = 0; round < copies; round += 1) {
      await killed(back(), around(), course)
      if (existsSync(file())) expect(complaints(file())).toEqual([])
      if (sides.note(await latchkeyHere(here, { cwd })) !== 'done')
        await done(back().args, around())
      expect(complaints(file())).toEqual([])
      expect(rowsIn(file())).toEqual(before)
    }
    sides.print()
  })

  test(`the making of the tables, ${count} times`, { timeout }, async () => {
    const victim = intoPostgres('migrate')
    const { untilTraceMs, workMs } = await measure(victim, around())
    const all = await tables()
    // It is one transaction: all of it comes before the trace.
    const course = { untilTraceMs: untilTraceMs + workMs, workMs }
    for (let round = 0; round < count; round += 1) {
      await killed(victim, around(), course)
      expect([0, all]).toContain(await tables())
      await done(victim.args, around())
      expect(await tables()).toBe(all)
    }
  })
})

/** So many rows that the copy has many pages. */
function fill(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(`
    UPDATE journal_head SET is_open = 1;
    WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 2000)
      INSERT INTO accounts SELECT printf('filler-%05d', n), printf('filler-%05d', n), 'user', 0, 0, 1800000000 + n FROM some;
    WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 6000)
      INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
        SELECT n, n - 1, n, 'account create', 'account', 'created', 0, '{"after":{}}' FROM some;
    UPDATE journal_head SET is_open = 0;
  `)
  database.close()
}

async function done(args: readonly string[], around: Around) {
  const { code, stderr } = await latchkeyHere(args, around)
  expect(code, stderr).toBe(0)
}

interface Victim {
  readonly args: readonly string[]
  /** Whether the first trace of its work is there. */
  isTraced(): Promise<boolean>
  /** So that it works from the beginning. */
  reset(): Promise<void>
}

/** How long it takes when nobody disturbs it: to the first trace, and from there to the end. */
interface Course {
  readonly untilTraceMs: number
  readonly workMs: number
}

type Around = Parameters<typeof launch>[1]

/** The first run of a command is slower than the others. */
async function measure(victim: Victim, around: Around): Promise<Course> {
  await measureOnce(victim, around)
  return await measureOnce(victim, around)
}

async function measureOnce(victim: Victim, around: Around): Promise<Course> {
  await victim.reset()
  const started = performance.now()
  const running = launch(victim.args, around)
  await traceOf(victim, running)
  const traced = performance.now()
  const { code, stderr } = await running.ended
  expect(code, stderr).toBe(0)
  return { untilTraceMs: traced - started, workMs: performance.now() - traced }
}

/** A quarter of the kills hit the way to the first trace, the others what comes after it. */
async function killed(victim: Victim, around: Around, course: Course): Promise<void> {
  await victim.reset()
  const running = launch(victim.args, around)
  const isEarly = chance.next() < 1 / 4
  if (!isEarly) await traceOf(victim, running)
  const longestMs = isEarly ? course.untilTraceMs : course.workMs * 1.1
  await Promise.race([running.ended, delay(chance.next() * longestMs)])
  running.child.kill('SIGKILL')
  await running.ended
}

async function traceOf({ isTraced }: Victim, { ended }: Running): Promise<void> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver && !(await isTraced())) await delay(1)
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

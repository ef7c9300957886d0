/** Ends `latchkey migrate` by SIGKILL at a random moment of its work, and says on which side of it a command is then. */

import { existsSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  openPostgres,
  type PostgresDatabase,
  readPostgresSettings,
} from '@latchkey/service/postgres'
import type { Chance } from '@latchkey/testing/chance'
import { type Around, launch, type Running } from '@latchkey/testing/machine/command'
import type { OwnDatabase } from '@latchkey/testing/postgres/own-database'
import { expect } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import type { Ended } from '../run-latchkey.ts'

export interface Victim {
  readonly args: readonly string[]
  /** Whether the first trace of its work is there. */
  isTraced(): Promise<boolean>
  /** So that it works from the beginning. */
  reset(): Promise<void>
}

/** How long it takes when nobody disturbs it: to the first trace, and from there to the end. */
export interface Course {
  readonly untilTraceMs: number
  readonly workMs: number
}

/** A copy into a file. */
export function intoFile(args: readonly string[], file: () => string): Victim {
  return {
    args,
    isTraced: async () => existsSync(file()),
    async reset() {
      for (const ending of ['', '-wal', '-shm', '-journal']) {
        rmSync(file() + ending, { force: true })
      }
    },
  }
}

/** A setting that a command writes when it uses the copy. */
const ofTheServer = /^\("postgres server",/

/** What a copy makes in PostgreSQL. */
export interface WatchedSchema {
  tables(): Promise<number>
  /** Every row of every table. */
  rows(): Promise<Readonly<Record<string, readonly string[]>>>
  /** Its first trace is the schema. */
  victim(args: readonly string[]): Victim
  /** Whether a command is connected. */
  isAsked(): Promise<boolean>
  close(): Promise<void>
}

export async function watchSchema(server: OwnDatabase, schema: string): Promise<WatchedSchema> {
  const watching: PostgresDatabase<object> = await openPostgres({
    ...{ settings: readPostgresSettings(server.url), schema: 'public', connections: 1 },
  })
  const names = async () => {
    const rows = await watching.query<{ tablename: string }>({
      name: 'tables',
      text: `select tablename from pg_tables where schemaname = '${schema}' order by 1`,
    })
    return rows.map(({ tablename }) => tablename)
  }
  const tables = async () => (await names()).length
  // It comes with its tables. Asked many times a second.
  const isTraced = async () => {
    const text = `select oid from pg_namespace where nspname = '${schema}'`
    return (await watching.query({ name: 'trace', text })).length > 0
  }
  return {
    tables,
    async rows() {
      const all: Record<string, readonly string[]> = {}
      for (const table of await names()) {
        const text = `select each::text as row from ${schema}.${table} each order by 1`
        const rows = await watching.query<{ row: string }>({ name: `rows of ${table}`, text })
        all[table] = rows.map(({ row }) => row).filter((row) => !ofTheServer.test(row))
      }
      return all
    },
    victim: (args) => ({
      args,
      isTraced,
      reset: async () => void (await server.sql(`drop schema if exists ${schema} cascade`)),
    }),
    async isAsked() {
      const text = `select pid from pg_stat_activity where datname = current_database() and application_name = 'latchkey'
        and pid <> pg_backend_pid()`
      return (await watching.query({ name: 'asked', text })).length > 0
    },
    close: () => watching.close(),
  }
}

export async function done(args: readonly string[], around: Around): Promise<void> {
  const { code, stderr } = await latchkeyHere(args, around)
  expect(code, stderr).toBe(0)
}

/** Of thousands of rows: `toEqual` takes longer than the copy. */
export function expectSame(found: object, wanted: object): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted)
}

export async function measure(victim: Victim, around: Around): Promise<Course> {
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
export async function killed(
  victim: Victim,
  around: Around,
  { course, chance }: { readonly course: Course; readonly chance: Chance },
): Promise<void> {
  await victim.reset()
  const running = launch(victim.args, around)
  const isEarly = chance.next() < 1 / 4
  if (!isEarly) {
    // A test that polls without a pause takes the core from the command.
    await Promise.race([running.ended, delay(course.untilTraceMs / 2)])
    await traceOf(victim, running)
  }
  await killWithin(running, chance.next() * (isEarly ? course.untilTraceMs : course.workMs * 1.1))
}

async function killWithin({ child, ended }: Running, milliseconds: number): Promise<void> {
  await Promise.race([ended, delay(milliseconds)])
  child.kill('SIGKILL')
  const { code, stderr } = await ended
  // One that was over before: whatever the run before it has left, it has done its work.
  if (code !== null) expect(code, stderr).toBe(0)
}

async function traceOf({ isTraced }: Victim, { ended }: Running): Promise<void> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver && !(await isTraced())) await delay(10)
}

type Side = 'before' | 'unfinished' | 'done'

/** What a command finds after a kill, of which nothing is in between. */
export function sidesOf(what: string, listed: 'items' | 'repositories') {
  const sides: Record<Side, number> = { before: 0, unfinished: 0, done: 0 }
  return {
    note(ended: Ended): Side {
      const side = sideOf(ended, listed)
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

function sideOf({ code, stdout, stderr }: Ended, listed: string): Side {
  if (code === 0) return JSON.parse(stdout)[listed].length === 0 ? 'before' : 'done'
  expect(code).toBe(3)
  const isUnfinished = /a copy that is not finished, so it is not used/.test(stderr)
  if (!isUnfinished) expect(stderr).toMatch(/there is no database|has no schema|is empty or gone/)
  return isUnfinished ? 'unfinished' : 'before'
}

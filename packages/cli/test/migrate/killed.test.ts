/** SIGKILL during `latchkey migrate`: before, after, or a copy that nobody uses and the next run finishes. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { printedChance, printSides, rounds } from '@latchkey/testing/chance'
import { complaints, type Dump } from '@latchkey/testing/hub/dump'
import type { Prepared } from '@latchkey/testing/hub/prepared-data'
import { copyOfData, sharedFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { prepareFull, rowsIn } from './full-directory.ts'
import {
  done,
  expectSame,
  intoFile,
  killed,
  measure,
  sidesOf,
  type WatchedSchema,
  watchSchema,
} from './kill-copy.ts'

const count = rounds(20, 200)
/** With those of a catalogue, in the test beside this one, 20 in all. */
const copies = { there: rounds(12, 100), back: rounds(4, 100) }
/** Into PostgreSQL: a copy that was killed goes on, and is killed again, before it is finished and compared. */
const killsInARow = 3
const leftAsItIs = { async reset() {} }
const isSoak = rounds(0, 1) === 1
const timeout = 1_800_000
const isMissing = isPostgresMissing('it is not shown that a copy that is killed can be finished')
const chance = printedChance('migrate')

describe.skipIf(isMissing)('killed at random moments', () => {
  const cwd = sharedFolder()
  let full: Prepared
  let server: OwnDatabase
  let before: Dump
  let data = ''
  let schema: WatchedSchema
  beforeAll(async () => {
    full = await prepareFull(cwd)
    fill(full.database)
    before = rowsIn(full.database)
    server = await ownDatabase()
    data = copyOfData(full.data, join(cwd, 'copy'))
    schema = await watchSchema(server, 'latchkey_hub')
    // The first run of a command is slower than the others, which matters where there are many kills.
    if (isSoak) await measure(there(), around())
  })
  afterAll(() => schema?.close())

  const around = () => ({ cwd, env: { LATCHKEY_DATABASE: server.url } })
  const file = () => join(data, 'back.db')
  const there = () => schema.victim(['migrate', '--from', 'sqlite:latchkey.db', '--data', data])
  const back = () => intoFile(['migrate', '--to', 'sqlite:back.db', '--data', data], file)

  test(`a copy into PostgreSQL, ${copies.there} times`, { timeout }, async () => {
    const sides = sidesOf('migrate to PostgreSQL', 'items')
    const course = await measure(there(), around())
    const whole = await schema.rows()
    let isWhole = true
    for (let round = 1; round <= copies.there; round += 1) {
      const { reset } = isWhole ? there() : leftAsItIs
      await killed({ ...there(), reset }, around(), { course, chance })
      const shown = await latchkeyHere(['account', 'list', '--data', data, '--json'], around())
      isWhole = sides.note(shown) === 'done'
      if (!isWhole && round % killsInARow > 0 && round < copies.there) continue
      if (!isWhole) await done(there().args, around())
      isWhole = true
      expectSame(await schema.rows(), whole)
    }
    await done(back().args, around())
    expectSame(rowsIn(file()), before)
    sides.print()
  })

  test(`a copy into a file, ${copies.back} times`, { timeout }, async () => {
    await there().reset()
    await done(there().args, around())
    const sides = sidesOf('migrate to a file', 'items')
    const course = await measure(back(), around())
    const here = ['account', 'list', '--data', data, '--json', '--database', 'sqlite:back.db']
    for (let round = 0; round < copies.back; round += 1) {
      await killed(back(), around(), { course, chance })
      if (existsSync(file())) expect(complaints(file())).toEqual([])
      if (sides.note(await latchkeyHere(here, { cwd })) !== 'done')
        await done(back().args, around())
      expect(complaints(file())).toEqual([])
      expectSame(rowsIn(file()), before)
    }
    sides.print()
  })

  test(`the making of the tables, ${count} times`, { timeout }, async () => {
    // It is one transaction, which shows nothing before its end: the first trace is the connection.
    const first = { ...schema.victim(['migrate']), isTraced: schema.isAsked }
    const course = await measure(first, around())
    const all = await schema.tables()
    // Each begins with what the one before it has left, unless that was whole.
    const reset = async () => void ((await schema.tables()) === all && (await first.reset()))
    const sides = { before: 0, after: 0 }
    for (let round = 0; round < count; round += 1) {
      await killed({ ...first, reset }, around(), { course, chance })
      const made = await schema.tables()
      expect([0, all]).toContain(made)
      sides[made === 0 ? 'before' : 'after'] += 1
    }
    await done(first.args, around())
    expect(await schema.tables()).toBe(all)
    printSides('migrate', sides)
  })
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

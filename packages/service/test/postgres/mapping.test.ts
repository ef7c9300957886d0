/** Rows of PostgreSQL look like rows of SQLite: what is written comes back the same. */

import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openUntilEnd } from './open-test-database.ts'

interface Row {
  id: number
  flag: number | null
  data: string | null
  large: number | null
  word: string | null
  part: number | null
  bytes: Uint8Array | null
}

interface Schema {
  things: Row
}

/** PostgreSQL has no NUL character, and JavaScript's halves of a character are none. */
const word = fc.string({
  unit: fc
    .integer({ min: 1, max: 0x10ffff })
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code)),
})

const row = fc.record({
  flag: fc.option(fc.constantFrom(0, 1)),
  data: fc.option(
    fc.tuple(fc.json(), fc.constantFrom('', ' ', '\n')).map(([text, space]) => `${text}${space}`),
  ),
  large: fc.option(fc.maxSafeInteger()),
  word: fc.option(word),
  part: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((part) => part + 0)),
  bytes: fc.option(fc.uint8Array()),
})

const rows = fc
  .array(row, { maxLength: 12 })
  .map((all) => all.map((one, id) => ({ id, ...one }) as Row))

const isMissing = isPostgresMissing('no row goes through PostgreSQL and back')

describe.skipIf(isMissing)('a row in PostgreSQL', () => {
  let own: OwnDatabase
  beforeAll(async () => {
    own = await ownDatabase()
    await own.sql(`create table things (id int primary key, flag boolean, data json,
      large bigint, word text collate "C", part double precision, bytes bytea)`)
  })
  beforeEach(() => own.sql('truncate things'))
  const open = () => openUntilEnd<Schema>(own.url)

  test('comes back as it was inserted', async () => {
    const { change, read } = await open()
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        await change(async (tables) => {
          await tables.deleteFrom('things').execute()
          if (written.length > 0) await tables.insertInto('things').values(written).execute()
        })
        const found = await read((tables) =>
          tables.selectFrom('things').selectAll().orderBy('id').execute(),
        )
        expect(found).toEqual(written.map(plainZero))
      }),
      { numRuns: 60 },
    )
  })

  test('comes back as it was updated, also by a conflicting insert', async () => {
    const { change } = await open()
    await fc.assert(
      fc.asyncProperty(row, row, async (first, second) => {
        const changed = await change(async (tables) => {
          await tables.deleteFrom('things').execute()
          await tables
            .insertInto('things')
            .values({ id: 1, ...first })
            .execute()
          await tables
            .insertInto('things')
            .values({ id: 1, ...first })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(second))
            .execute()
          const upserted = await tables.selectFrom('things').selectAll().execute()
          await tables.updateTable('things').set(first).execute()
          return [...upserted, ...(await tables.selectFrom('things').selectAll().execute())]
        })
        expect(changed).toEqual([second, first].map((one) => plainZero({ id: 1, ...one } as Row)))
      }),
      { numRuns: 40 },
    )
  })

  test('a number that JavaScript would round is an error', async () => {
    const { read, change } = await open()
    await own.sql('insert into things (id, large) values (1, 9007199254740993)')
    const reading = () => read((tables) => tables.selectFrom('things').selectAll().execute())
    await expect(reading()).rejects.toThrow('9007199254740993')
    await change((tables) => tables.deleteFrom('things').execute())
    expect(await reading()).toEqual([])
  })

  test('how many rows a statement changed, counts and sums are numbers', async () => {
    const { change } = await open()
    const found = await change(async (tables) => {
      const values = [1, 2, 3].map((id) => ({ ...empty, id, large: id }))
      await tables.insertInto('things').values(values).execute()
      const gone = await tables.deleteFrom('things').where('id', '=', 3).executeTakeFirst()
      const counted = await tables
        .selectFrom('things')
        .select(({ fn }) => [fn.countAll().as('count'), fn.sum('large').as('sum')])
        .executeTakeFirst()
      return { gone: gone.numDeletedRows, ...counted }
    })
    expect(found).toEqual({ gone: 1n, count: 2, sum: 3 })
  })
})

const empty = { flag: null, data: null, large: null, word: null, part: null, bytes: null }

/** A bigint has no negative zero. */
function plainZero(row: Row): Row {
  return { ...row, large: row.large === 0 ? 0 : row.large }
}

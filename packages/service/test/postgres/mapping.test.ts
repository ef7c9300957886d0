/** Rows of PostgreSQL look like rows of SQLite: what is written comes back the same. */

import { secondsOf, timeText } from '@latchkey/service/postgres'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openUntilEnd } from './open-test-database.ts'

interface Row {
  id: number
  at: number | null
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

const earliest = Date.UTC(-4712, 0, 1) / 1000
const latest = 8.64e12

const moment = fc.oneof(
  fc.integer({ min: 0, max: 4e9 }),
  fc.integer({ min: earliest, max: latest }),
  fc.constantFrom(earliest, latest, 0, -1, -62_135_596_800, -62_167_219_201, 253_402_300_800),
  fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
)

/** PostgreSQL has no NUL character, and JavaScript's halves of a character are none. */
const word = fc.string({
  unit: fc
    .integer({ min: 1, max: 0x10ffff })
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code)),
})

const row = fc.record({
  at: fc.option(moment),
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
    await own.sql(`create table things (id int primary key, at timestamptz, flag boolean, data json,
      large bigint, word text collate "C", part double precision, bytes bytea)`)
  })
  beforeEach(() => own.sql('truncate things'))
  const open = () => openUntilEnd<Schema>(own.url, { timeColumns: ['at'] })

  test('comes back as it was inserted, whatever the time zone of the server', async () => {
    await own.sql(`alter database ${own.name} set timezone = 'America/St_Johns'`)
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
    await own.sql(`alter database ${own.name} reset timezone`)
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

  test('is found by its time as numbers compare', async () => {
    const { change, read } = await open()
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(moment, { minLength: 1, maxLength: 8 }),
        moment,
        moment,
        async (times, one, other) => {
          await change(async (tables) => {
            await tables.deleteFrom('things').execute()
            const values = times.map((at, id) => ({ ...empty, id, at }))
            await tables.insertInto('things').values(values).execute()
          })
          const found = await read(async (tables) => {
            const ids = tables.selectFrom('things').select('at').orderBy('at')
            return [
              await ids.where('at', '<', one).execute(),
              await ids.where('things.at', '>=', one).execute(),
              await ids.where('at', 'in', [one, other]).execute(),
              await ids.where(({ between }) => between('at', one, other)).execute(),
              await ids.where(({ eb, val }) => eb(val(one), '<', eb.ref('at'))).execute(),
              await ids
                .where(({ eb, fn, val }) => eb(fn.coalesce('at', val(0)), '=', one))
                .execute(),
              await ids
                .where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '>', tuple(one, -1)))
                .execute(),
              await tables
                .selectFrom('things')
                .select(({ fn }) => fn.max('at').as('at'))
                .having(({ eb, fn }) => eb(fn.max('at'), '>=', one))
                .execute(),
            ].map((list) => list.map(({ at }) => at))
          })
          const sorted = times.toSorted((left, right) => (left < right ? -1 : 1))
          const last = sorted.at(-1) ?? 0
          expect(found).toEqual([
            sorted.filter((at) => at < one),
            sorted.filter((at) => at >= one),
            sorted.filter((at) => at === one || at === other),
            sorted.filter((at) => at >= one && at <= other),
            sorted.filter((at) => one < at),
            sorted.filter((at) => at === one),
            sorted.filter((at) => at >= one),
            last >= one ? [last] : [],
          ])
        },
      ),
      { numRuns: 40 },
    )
  })

  test('a time chosen by a condition is stored as that time', async () => {
    const { change } = await open()
    const found = await change(async (tables) => {
      await tables
        .insertInto('things')
        .values([
          { ...empty, id: 1, at: 5 },
          { ...empty, id: 2 },
        ])
        .execute()
      await tables
        .updateTable('things')
        .set(({ eb, fn, val }) => ({
          at: eb
            .case()
            .when('id', '=', 1)
            .then(7)
            .else(fn.coalesce('at', val(9)))
            .end(),
        }))
        .execute()
      return tables.selectFrom('things').select('at').orderBy('id').execute()
    })
    expect(found).toEqual([{ at: 7 }, { at: 9 }])
  })

  test('a calculation with a time column is refused rather than done wrongly', async () => {
    const { read } = await open()
    const wrong = read((tables) =>
      tables
        .selectFrom('things')
        .where(({ eb }) => eb(eb('at', '+', 5), '>', 1))
        .selectAll()
        .execute(),
    )
    await expect(wrong).rejects.toThrow('cannot be calculated with')
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

test('a moment that PostgreSQL cannot store is refused', () => {
  for (const wrong of [Number.NaN, latest + 1, earliest - 1]) {
    expect(() => timeText(wrong)).toThrow(RangeError)
  }
})

test('a moment with a fraction comes back to the microsecond', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e15 }), (micros) => {
      const text = timeText(micros / 1e6)
        .replace('T', ' ')
        .replace('Z', '+00')
      expect(secondsOf(text)).toBe(micros / 1e6)
    }),
  )
})

const empty = { at: null, flag: null, data: null, large: null, word: null, part: null, bytes: null }

/** A bigint has no negative zero. */
function plainZero(row: Row): Row {
  return { ...row, large: row.large === 0 ? 0 : row.large, at: row.at === 0 ? 0 : row.at }
}

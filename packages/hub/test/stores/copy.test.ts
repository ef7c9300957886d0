/** A copy that is cut off at a page: what the next run does with it. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CopyRefused, type CopyTarget } from '@latchkey/service/copy/copy-side'
import { type Copy, copyTables } from '@latchkey/service/copy/copy-tables'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { openStore } from '../../src/data/open-store.ts'
import { copiedDirectory } from '../../src/stores/copy/copied-directory.ts'
import { openSqliteSource, openSqliteTarget } from '../../src/stores/sqlite/copy-side.ts'
import { directoryColumns } from '../../src/tables/table-columns.ts'

/** A tenth of the usual: so many entries are made soon. */
const rowsPerPage = 200

const folder = sharedFolder()
let from = ''
beforeAll(async () => {
  from = (await prepareData(folder)).database
  change(
    `WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < ${3 * rowsPerPage})
       INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
         SELECT n, n - 1, n, 'apply', 'account', 'created', 0, '{}' FROM some`,
  )
})

function change(statements: string): void {
  const database = new DatabaseSync(from)
  database.exec(statements)
  database.close()
}

class CutOff extends Error {}

const directory = { ...copiedDirectory, rowsPerPage: { journal: rowsPerPage } }
const copyDirectory = (between: Copy) => copyTables(directory, between)

let runs = 0

/** Ends when so many rows are told as copied. */
async function copy(to: string, { until }: { readonly until?: number } = {}) {
  const source = openSqliteSource(from)
  const target = openSqliteTarget(to)
  let copied = 0
  try {
    const onProgress = (verb: string, rows: number) => {
      if (verb === 'copied') copied = rows
      if (verb === 'copied' && until !== undefined && rows >= until) throw new CutOff()
    }
    runs += 1
    return { ...(await copyDirectory({ source, target, run: `${runs}`, onProgress })), copied }
  } finally {
    await target.close()
    await source.close()
  }
}

function rowsOf(file: string): unknown {
  const database = new DatabaseSync(file)
  const rows = Object.entries(directoryColumns).map(([table, roles]) => {
    const columns = Object.keys(roles).join(', ')
    const found = database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${columns}`).all()
    // Texts are compared in a tenth of the time of rows.
    return found.map((row) => JSON.stringify(row))
  })
  database.close()
  return rows
}

async function cutOff(until: number): Promise<string> {
  const to = join(temporaryFolder(), 'copy.db')
  await expect(copy(to, { until })).rejects.toBeInstanceOf(CutOff)
  return to
}

test.each([1, 50, rowsPerPage, 2 * rowsPerPage])(
  'cut off after %i rows, it is used by nobody, and the next run goes on where it was',
  async (until) => {
    const to = await cutOff(until)
    const place = { data: join(to, '..'), database: `sqlite:${to}` }
    const opening = openStore(place, { create: true })
    await expect(opening).rejects.toThrow(CannotStart)
    await expect(opening).rejects.toThrow(/a copy that is not finished/)
    const { isResumed, copied, rows } = await copy(to)
    expect(isResumed).toBe(true)
    expect(copied).toBeLessThanOrEqual(rows - until)
    expect(rowsOf(to)).toEqual(rowsOf(from))
    await (await openStore(place, { create: false })).close()
  },
)

test('what has changed at the source since then is in the copy', async () => {
  const to = await cutOff(rowsPerPage)
  // The first one has no number of the journal, and the second one another mark.
  change(`UPDATE hub_tokens SET last_used_at = coalesce(last_used_at, 0) + 1`)
  expect((await copy(to)).isResumed).toBe(true)
  expect(rowsOf(to)).toEqual(rowsOf(from))
  const other = await cutOff(rowsPerPage)
  change(`UPDATE accounts SET disabled = 1 - disabled WHERE name = 'guest'`)
  expect((await copy(other)).isResumed).toBe(false)
  expect(rowsOf(other)).toEqual(rowsOf(from))
})

test('a copy of an unfinished copy is refused', async () => {
  const to = await cutOff(rowsPerPage)
  const source = openSqliteSource(to)
  const target = openSqliteTarget(join(temporaryFolder(), 'second.db'))
  await expect(copyDirectory({ source, target, run: 'a' })).rejects.toThrow(
    /a copy that is not finished/,
  )
  await target.close()
  await source.close()
})

test('of two runs into one database the later one finishes, and the earlier one ends', async () => {
  const to = join(temporaryFolder(), 'copy.db')
  const source = openSqliteSource(from)
  // Both wait in one process, so neither may wait for long.
  const open = () => openSqliteTarget(to, { busyTimeoutMs: 1 })
  const [first, second] = [open(), open()]
  const begun = Promise.withResolvers<void>()
  const overtaken = Promise.withResolvers<void>()
  let changes = 0
  const slow: CopyTarget = {
    ...first,
    async change(work) {
      changes += 1
      if (changes === 3) {
        begun.resolve()
        await overtaken.promise
      }
      return first.change(work)
    },
  }
  const earlier = copyDirectory({ source, target: slow, run: 'a' })
  await begun.promise
  const later = copyDirectory({
    ...{ source, target: second, run: 'b' },
    onProgress: () => overtaken.resolve(),
  })
  await expect(earlier).rejects.toThrow(CopyRefused)
  await expect(earlier).rejects.toThrow(/has taken over this copy/)
  await later
  for (const side of [first, second, source]) await side.close()
  expect(rowsOf(to)).toEqual(rowsOf(from))
})

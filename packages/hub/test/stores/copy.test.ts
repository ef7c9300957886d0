/** A copy is one transaction: whatever ends it, the target stays empty. */

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CopyTarget, copyBetween, type OnCopyProgress } from '@latchkey/service/copy'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { openStore } from '../../src/data/open-store.ts'
import { openSqliteSource, openSqliteTarget } from '../../src/stores/sqlite/open-store.ts'
import { copiedDirectory, directoryColumns } from '../../src/tables/table-columns.ts'

/** A tenth of the usual: so many entries are made soon. */
const rowsPerPage = 200

const folder = sharedFolder()
let from = ''
beforeAll(async () => {
  from = (await prepareData(folder)).database
  change(
    from,
    `WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < ${3 * rowsPerPage})
       INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
         SELECT n, n - 1, n, 'apply', 'account', 'created', 0, '{}' FROM some`,
  )
})

function change(file: string, statements: string): void {
  const database = new DatabaseSync(file)
  database.exec(statements)
  database.close()
}

interface Run {
  readonly source?: string
  readonly target: CopyTarget
  readonly onProgress?: OnCopyProgress
}

function copy({ source = from, target, onProgress }: Run) {
  const directory = { ...copiedDirectory, rowsPerPage: { journal: rowsPerPage } }
  const sides = {
    openSource: async () => openSqliteSource(source),
    openTarget: async () => target,
  }
  return copyBetween(directory, sides, onProgress)
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

async function emptyTarget(): Promise<string> {
  const to = join(temporaryFolder(), 'copy.db')
  await openSqliteTarget(to).close()
  return to
}

class CutOff extends Error {}

test.each([
  ['copied', 1],
  ['copied', 2 * rowsPerPage],
  ['compared', 1],
] as const)('a copy that ends after %s %i rows leaves an empty target', async (verb, rows) => {
  const to = await emptyTarget()
  const empty = rowsOf(to)
  const cutOff = copy({
    target: openSqliteTarget(to),
    onProgress(told, count) {
      if (told === verb && count >= rows) throw new CutOff()
    },
  })
  await expect(cutOff).rejects.toBeInstanceOf(CutOff)
  expect(rowsOf(to)).toEqual(empty)
  await copy({ target: openSqliteTarget(to) })
  expect(rowsOf(to)).toEqual(rowsOf(from))
  const place = { data: join(to, '..'), database: `sqlite:${to}` }
  await (await openStore(place, { create: false })).close()
})

test.each([
  ['is another one', 'UPDATE namespaces SET created_at = created_at + 1', /\(namespaces, id \S+\)/],
  ['is missing', 'DELETE FROM members', /\(members, namespace_id \S+, account_id \S+\)/],
  ['is one too many', `INSERT OR IGNORE INTO settings VALUES ('~', '')`, /\(settings, name ~\)/],
])('a row of the copy that %s is found, and the target stays empty', async (_, spoil, found) => {
  const to = await emptyTarget()
  change(to, `CREATE TRIGGER spoil AFTER INSERT ON journal BEGIN ${spoil}; END`)
  const empty = rowsOf(to)
  await expect(copy({ target: openSqliteTarget(to) })).rejects.toThrow(found)
  expect(rowsOf(to)).toEqual(empty)
})

test('of two copies into one database the second is refused', async () => {
  const to = await emptyTarget()
  const source = join(temporaryFolder(), 'source.db')
  copyFileSync(from, source)
  // Both wait in one process, so neither may wait for long.
  const open = () => openSqliteTarget(to, { busyTimeoutMs: 1 })
  const [target, other] = [open(), open()]
  const begun = Promise.withResolvers<void>()
  const first = copy({ target, onProgress: () => begun.resolve() })
  await begun.promise
  await expect(copy({ source, target: other })).rejects.toThrow(/is not empty/)
  await first
  expect(rowsOf(to)).toEqual(rowsOf(from))
})

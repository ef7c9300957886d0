/** The catalogue of a storage leaves the hub's database whole, once, and for the file that belongs to it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { rounds } from '@latchkey/testing/chance'
import { complaints, type Dump, dump } from '@latchkey/testing/hub/dump'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { mountSmallDisk } from '@latchkey/testing/machine/small-disk'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  catalogueFile,
  handOverCatalogue,
} from '../../src/stores/sqlite/handing-over/hand-over-catalogue.ts'
import { migrations } from '../../src/stores/sqlite/migrations/migrations.ts'
import { catalogueTables, oldDatabase, schemaOf, versionOf } from './old-catalogue.ts'

const moving = new URL(
  '../../src/stores/sqlite/handing-over/hand-over-catalogue.ts',
  import.meta.url,
)

function handOver(file: string): void {
  handOverCatalogue({ file, folder: dirname(file), migrations })
}

function catalogueIn(all: Dump): Dump {
  return Object.fromEntries(
    Object.entries(all).filter(([table]) => catalogueTables.includes(table)),
  )
}

function directoryIn(all: Dump): Dump {
  // Migrations that come before the move may append to the journal.
  const skipped = [...catalogueTables, 'sqlite_sequence', 'journal_head']
  const isOther = (table: string) => !skipped.includes(table)
  return Object.fromEntries(Object.entries(all).filter(([table]) => isOther(table)))
}

describe('what stands in the way is said, and nothing is changed', () => {
  test('another process has the database open', async () => {
    const file = oldDatabase(temporaryFolder())
    const before = dump(file)
    await holdOpen(file)
    expect(() => handOver(file)).toThrow(
      `the database ${file} is open in another process, and its catalogue of stored content has to move to a file of its own; stop that process, then start this one again.`,
    )
    expect(dump(file)).toEqual(before)
    expect(existsSync(catalogueFile(dirname(file)))).toBe(false)
  })

  test.each([
    ['of another hub', (name: string) => cpSync(oldDatabase(temporaryFolder(), ''), name)],
    ['that is no database', (name: string) => writeFileSync(name, 'mine')],
    ['that is empty', (name: string) => writeFileSync(name, '')],
    [
      'in which one row is different',
      (name: string) => {
        cpSync(oldDatabase(temporaryFolder()), name)
        const other = new DatabaseSync(name)
        other.exec("UPDATE stored_xorbs SET digest = 'other' WHERE ref_uid = 'dev'")
        other.close()
      },
    ],
  ])('there is a storage.db %s', (_, put) => {
    const file = oldDatabase(temporaryFolder())
    const name = catalogueFile(dirname(file))
    put(name)
    const [before, others] = [dump(file), readFileSync(name)]
    expect(() => handOver(file)).toThrow(
      /is there already and lacks content of this database.*nothing was changed/,
    )
    expect(dump(file)).toEqual(before)
    expect(versionOf(file)).toBe(4)
    expect(readFileSync(name)).toEqual(others)
  })

  test('the disk has no room for the copy', ({ skip }) => {
    const disk = mountSmallDisk(4)
    if (disk === undefined) return skip('this user may not mount a small disk to fill')
    onTestFinished(() => disk.remove())
    const many = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)'
    const file = oldDatabase(
      disk.folder,
      `INSERT INTO stored_chunks ${many} SELECT 'main', i, 'bert', 'x', 1 FROM n`,
    )
    const before = dump(file)
    const ballast = join(disk.folder, 'ballast')
    const { bavail, bsize } = statfsSync(disk.folder)
    // Room for what SQLite needs to read the file, and not for a copy of it.
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 100_000))
    expect(() => handOver(file)).toThrow(/there is no room left on the disk to move .* free up to/)
    rmSync(ballast)
    expect(dump(file)).toEqual(before)
    expect(versionOf(file)).toBe(4)
    expect(readdirSync(disk.folder)).not.toContain('storage.db.part')
    handOver(file)
    expect(dump(catalogueFile(disk.folder))['stored_chunks']).toHaveLength(5000)
  })
})

describe('a catalogue with content', () => {
  test('is in a file of its own afterwards, row by row, for its owner only', () => {
    const file = oldDatabase(temporaryFolder())
    const before = dump(file)
    handOver(file)
    const name = catalogueFile(dirname(file))
    const after = dump(name)
    expect(catalogueIn(after)).toEqual(catalogueIn(before))
    expect(after['stored_totals']).toEqual([{ repository_uid: 'bert', bytes: 202, objects: 3 }])
    expect(complaints(name)).toEqual([])
    expect(statSync(name).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(file)).filter((found) => found.startsWith('storage'))).toEqual([
      'storage.db',
    ])
  })

  test('knows how far the journal had come, and no position is used a second time', () => {
    const file = oldDatabase(temporaryFolder())
    handOver(file)
    const after = dump(catalogueFile(dirname(file)))
    const head = Number(dump(file)['journal_head']?.[0]?.['number'])
    expect(head).toBeGreaterThan(1_700_000_000_000)
    expect(after['handed_over']).toEqual([{ number: head }])
    expect(after['sqlite_sequence']).toEqual([{ name: 'stored_files', seq: 2 }])
  })

  test('has the tables of a storage of version 1 and nothing of the hub', () => {
    const file = oldDatabase(temporaryFolder())
    const schema = schemaOf(file).filter((entry) =>
      catalogueTables.includes(String(Object(entry).tbl_name)),
    )
    handOver(file)
    const name = catalogueFile(dirname(file))
    expect(schemaOf(name).filter((entry) => Object(entry).name !== 'sqlite_sequence')).toEqual(
      [
        ...schema,
        {
          type: 'table',
          name: 'handed_over',
          tbl_name: 'handed_over',
          sql: 'CREATE TABLE handed_over (number INTEGER NOT NULL) STRICT',
        },
      ].toSorted((one, other) => compare(keyOf(one), keyOf(other))),
    )
    expect(versionOf(name)).toBe(1)
  })

  test('leaves the hub its directory, its version and no page of the catalogue', () => {
    const file = oldDatabase(temporaryFolder())
    const before = dump(file)
    handOver(file)
    const after = dump(file)
    expect(directoryIn(after)).toMatchObject(directoryIn(before))
    expect(catalogueIn(after)).toEqual({})
    expect(versionOf(file)).toBe(migrations.length)
    expect(complaints(file)).toEqual([])
    const database = new DatabaseSync(file)
    expect(database.prepare('PRAGMA freelist_count').get()).toEqual({ freelist_count: 0 })
    database.close()
  })
})

test('a catalogue whose copy has its name already is only dropped', () => {
  const file = oldDatabase(temporaryFolder())
  const again = oldDatabase(temporaryFolder())
  handOver(file)
  const name = catalogueFile(dirname(file))
  cpSync(name, catalogueFile(dirname(again)))
  const copy = readFileSync(name)
  handOver(again)
  expect(readFileSync(catalogueFile(dirname(again)))).toEqual(copy)
  expect(catalogueIn(dump(again))).toEqual({})
})

test('programs that start at once on an old database move its catalogue once', async () => {
  const file = oldDatabase(temporaryFolder())
  const before = catalogueIn(dump(file))
  const programs = rounds(2, 4)
  const codes = await Promise.all(Array.from({ length: programs }, () => handOverInProcess(file)))
  expect(codes).toEqual(Array(programs).fill(0))
  expect(catalogueIn(dump(catalogueFile(dirname(file))))).toEqual(before)
})

function keyOf(entry: unknown): string {
  return `${Object(entry).type} ${Object(entry).name}`
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1
}

/** As an earlier hub does that has nothing to do at the moment. */
async function holdOpen(file: string): Promise<void> {
  const script = `
    const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
    database.prepare('SELECT count(*) FROM accounts').get()
    process.stdout.write('open')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  await once(child.stdout, 'data')
}

async function handOverInProcess(file: string): Promise<number | null> {
  const script = `
    const [{ handOverCatalogue }, { migrations }] = await Promise.all(process.argv.slice(1, 3).map((url) => import(url)))
    const file = process.argv[3]
    handOverCatalogue({ file, folder: ${JSON.stringify(dirname(file))}, migrations })`
  const list = new URL('../../src/stores/sqlite/migrations/migrations.ts', import.meta.url)
  const args = ['--input-type=module', '-e', script, moving.href, list.href, file]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const [code] = await once(child, 'close')
  return code
}

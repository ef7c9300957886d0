/** `latchkey migrate` on a SQLite file. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { directoryText } from '../directory-file.ts'
import { latchkeyHere } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'

async function prepared() {
  const cwd = temporaryDirectory()
  const file = join(cwd, 'latchkey-data', 'latchkey.db')
  const made = await latchkeyHere(['apply', '-'], { cwd, input: directoryText })
  expect(made, made.stderr).toMatchObject({ code: 0 })
  return { cwd, file, run: (...args: readonly string[]) => latchkeyHere(args, { cwd }) }
}

function change(file: string, statements: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  database.exec(statements)
  database.close()
}

function emptyFile(data: string, name: string): string {
  mkdirSync(data, { mode: 0o700, recursive: true })
  const file = join(data, name)
  writeFileSync(file, '', { mode: 0o600 })
  return file
}

test('a file of this version is left as it is, and its version is told', async () => {
  const { run } = await prepared()
  const { code, stderr } = await run('migrate')
  expect(code).toBe(0)
  expect(stderr).toMatch(
    /^\S+latchkey.db: the tables have version \d+, which is this program's; no change/,
  )
  expect(await run('migrate', '--dry-run')).toMatchObject({ code: 0, stdout: '' })
})

test('a file without tables: the SQL is shown and nothing changed; then it is brought to its version', async () => {
  const cwd = temporaryDirectory()
  const data = join(cwd, 'latchkey-data')
  const file = emptyFile(data, 'latchkey.db')
  const run = (...args: readonly string[]) => latchkeyHere(args, { cwd })
  const shown = await run('migrate', '--dry-run')
  expect(shown.stdout).toMatch(
    /^-- \S+latchkey.db: from version 0 to \d+\nBEGIN IMMEDIATE;\n.+CREATE TABLE journal_head.+\nCOMMIT;\n$/s,
  )
  expect(readFileSync(file)).toHaveLength(0)
  const copied = await run('migrate', '--from', 'sqlite:latchkey.db', '--to', 'sqlite:new.db')
  expect(copied).toMatchObject({ code: 3 })
  expect(copied.stderr).toMatch(/has version 0, [^\n]+ Run "latchkey migrate" on it first\.\n$/)
  const { code, stderr } = await run('migrate')
  expect(code).toBe(0)
  expect(stderr).toMatch(/^\S+latchkey.db: the tables had version 0 and have version \d+ now\n$/)
  expect(await run('account', 'list')).toMatchObject({ code: 0 })
})

test("a storage's file beside it is brought to its version too, or alone", async () => {
  const cwd = temporaryDirectory()
  const data = join(cwd, 'latchkey-data')
  const run = (...args: readonly string[]) => latchkeyHere(['migrate', ...args], { cwd })
  const absent = await run('--only', 'storage')
  expect(absent).toMatchObject({ code: 3, stderr: expect.stringContaining('no storage database') })
  emptyFile(data, 'latchkey.db')
  expect((await run('--only', 'hub')).stderr).toMatch(/^\S+latchkey.db: the tables had version 0 /)
  emptyFile(data, 'storage.db')
  const shown = await run('--dry-run')
  expect(shown.stdout).toMatch(/^-- \S+storage.db: from version 0 to \d+\nBEGIN IMMEDIATE;\n/)
  expect(shown.stderr).toMatch(/^\S+latchkey.db: the tables have this program's version/)
  expect((await run('--only', 'hub', '--dry-run')).stdout).toBe('')
  const done = /^\S+storage.db: the tables had version 0 and have version \d+ now\n$/
  expect((await run('--only', 'storage')).stderr).toMatch(done)
  expect((await run()).stderr).toMatch(
    /^\S+latchkey.db: .+ no change was needed\n\S+storage.db: .+ no change was needed\n$/,
  )
})

test('a newer file is refused with one line, and a missing one is not made', async () => {
  const { file, run } = await prepared()
  change(file, 'PRAGMA user_version = 99')
  for (const words of [['migrate'], ['migrate', '--dry-run']]) {
    const { code, stderr } = await run(...words)
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /^latchkey: the database \S+ has version 99, [^\n]+newer version of Latchkey[^\n]+\n$/,
    )
  }
  const missing = await run('migrate', '--database', 'sqlite:none.db')
  expect(missing).toMatchObject({ code: 3 })
  expect(missing.stderr).toMatch(/^latchkey: there is no database \S+none.db\. [^\n]+\n$/)
})

test('a file is copied into another one, and not onto itself', async () => {
  const { run } = await prepared()
  const same = await run('migrate', '--from', 'sqlite:latchkey.db', '--to', 'sqlite:./latchkey.db')
  expect(same).toMatchObject({ code: 1 })
  expect(await run('migrate', '--to', 'sqlite:new.db')).toMatchObject({ code: 0 })
  const listed = await run('account', 'list', '--database', 'sqlite:new.db')
  expect(listed.stdout).toBe((await run('account', 'list')).stdout)
})

test.each([
  [['--only', 'gate'], /--only: "gate" is not allowed; give hub or storage/],
  [['--from', 'sqlite:a.db', '--dry-run'], /--dry-run shows the SQL for one database/],
  [['--to', 'postgres://ada:canary@db.example'], /--to: a password in an argument shows/],
  [['--from', 'mysql://db.example'], /--from: "mysql:\/\/db.example" is not allowed; give sqlite:/],
  [
    ['--from', 'sqlite:a.db', '--to', 'sqlite:b.db', '--database', 'sqlite:c.db'],
    /--database: --from and --to name both databases/,
  ],
])('latchkey migrate %j is wrong usage', async (more, line) => {
  const { code, stderr } = await latchkeyHere(['migrate', ...more], { cwd: temporaryDirectory() })
  expect(code).toBe(2)
  expect(stderr).toMatch(line)
  expect(stderr).not.toContain('canary')
})

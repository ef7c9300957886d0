/** A data directory of version 4, in which hub and storage shared one database, is taken over with its content. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { latchkeyHere as latchkey } from './run-here.ts'
import { serve, temporaryDirectory } from './run-latchkey.ts'

const dump = new URL('./version-4/latchkey.sql', import.meta.url)
const digest = 'fd73c63f1366ae98ca9bdadd8ccf116ebe09ec7bb22fdc114b34d0d4ef82bef1'
const object =
  'ABoAAAAaAAB3aGF0IHZlcnNpb24gNCBoYXMgc3RvcmVkCg6C4VORuOSDPQTGM2PjwZmWUTcO7qXVEc0RIepfg0wIGgAAACIAAABMS1hPUkIwMQEAAAAAAAAAIgAAAAAAAAA='
const file = '9336ebb3eb7a9f9a475c83d58b434f3f2c8b1f8eda106d7f1c7fe6609c34dcaf'
const target = 'models/acme/bert@main'

/** As version 4 has left it. */
function oldDirectory(): { cwd: string; database: string; catalogue: string } {
  const cwd = temporaryDirectory()
  const data = join(cwd, 'latchkey-data')
  const folder = join(data, 'objects', digest.slice(0, 2))
  mkdirSync(data, { mode: 0o700 })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, digest), Buffer.from(object, 'base64'))
  const database = join(data, 'latchkey.db')
  // The dump lists tables by name, not in the order in which they refer to each other.
  const connection = new DatabaseSync(database, { enableForeignKeyConstraints: false })
  connection.exec(readFileSync(dump, 'utf8'))
  connection.exec('PRAGMA journal_mode = WAL')
  connection.close()
  return { cwd, database, catalogue: join(data, 'storage.db') }
}

function schemaOf(database: string): unknown {
  const connection = new DatabaseSync(database, { readOnly: true })
  const rows = connection.prepare(
    'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name',
  )
  const found = { entries: rows.all(), ...connection.prepare('PRAGMA user_version').get() }
  connection.close()
  return found
}

it('no command begins while an earlier version has the database open', async () => {
  const { cwd, database, catalogue } = oldDirectory()
  const before = schemaOf(database)
  const script = `
    const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
    database.prepare('SELECT count(*) FROM accounts').get()
    process.stdout.write('open')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script, database])
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  await once(child.stdout, 'data')
  const { code, stderr } = await latchkey(['account', 'list'], { cwd })
  expect(code).toBe(3)
  expect(stderr).toMatch(/^latchkey: the database \S+ is open in another process, [^\n]+\n$/)
  expect(schemaOf(database)).toEqual(before)
  expect(existsSync(catalogue)).toBe(false)
})

it('what an earlier version has stored is read, from a database of the same form as a new one', async () => {
  const { cwd, database, catalogue } = oldDirectory()
  const made = await latchkey(
    ['hub-token', 'create', 'ada', 'laptop', '--kind', 'write', '--json'],
    {
      cwd,
    },
  )
  expect(made.stderr).toBe('')
  expect(existsSync(catalogue)).toBe(true)
  const { url } = await serve([], { cwd })
  const env = { LATCHKEY_HUB: url, LATCHKEY_HUB_TOKEN: JSON.parse(made.stdout).token }
  const read = await latchkey(['download', target, file, '-o', 'again'], { cwd, env })
  expect(read).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, 'again'), 'utf8')).toBe('what version 4 has stored\n')

  const fresh = temporaryDirectory()
  await serve([], { cwd: fresh })
  expect(schemaOf(catalogue)).toEqual(schemaOf(join(fresh, 'latchkey-data', 'storage.db')))
  expect(schemaOf(database)).toEqual(schemaOf(join(fresh, 'latchkey-data', 'latchkey.db')))
})

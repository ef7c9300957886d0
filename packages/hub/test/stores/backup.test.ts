/** A backup is of one moment, however busy the database is while it is taken. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { complaints } from '@latchkey/testing/hub/dump'
import { placesIn, prepareData, startQuietly } from '@latchkey/testing/hub/prepared-data'
import { latchkey } from '@latchkey/testing/machine/command'
import { copyOfData, temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'

/** Every transaction makes a pair; a copy with half of one was not of one moment. */
const writer = `
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
  const account = database.prepare("INSERT INTO accounts VALUES (?, ?, 'user', 0, 0, 1, 'admin')")
  const namespace = database.prepare('INSERT INTO namespaces VALUES (?, ?, 1, NULL, NULL)')
  const write = (n) => {
    database.exec('BEGIN IMMEDIATE')
    account.run('pair-' + n, 'pair-' + n)
    namespace.run('pair-' + n, 'pair-' + n)
    database.exec('COMMIT')
    if (n === 20) process.stdout.write('writing')
    setImmediate(write, n + 1)
  }
  write(0)
`

test('copies taken while another process writes are whole, and of one moment each', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'hub.db')
  const store = openSqliteStore(file)
  onTestFinished(() => store.close())
  await startWriter(file)
  const counts: number[] = []
  for (let n = 0; n < 8; n += 1) {
    const copy = join(folder, `copy-${n}.db`)
    await store.backup(copy)
    expect(complaints(copy)).toEqual([])
    const { accounts, namespaces } = countsIn(copy)
    expect(accounts).toBe(namespaces)
    counts.push(accounts)
  }
  expect(counts).toEqual(counts.toSorted((one, other) => one - other))
  expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0)
})

test('a hub starts on a copy that was put in the place of its database', async () => {
  const folder = temporaryFolder()
  const { data, tokens } = await prepareData(folder)
  const copied = await latchkey(['backup', 'copy', '--data', data], { cwd: folder })
  expect(copied).toMatchObject({ code: 0 })
  expect(statSync(join(folder, 'copy', 'latchkey.db')).mode & 0o777).toBe(0o600)

  const restored = placesIn(copyOfData(data, join(folder, 'restored')))
  cpSync(join(folder, 'copy', 'latchkey.db'), restored.database)
  const hub = await startQuietly(restored.data)
  const token = tokens['writer/write'] ?? ''
  const { status } = await askHub(hub.url, 'write models/acme/bert@main', { token })
  await hub.stop()
  expect(status).toBe(200)
})

async function startWriter(file: string): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, ['-e', writer, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  if (child.stdout !== null) await once(child.stdout, 'data')
}

function countsIn(file: string): { accounts: number; namespaces: number } {
  const database = new DatabaseSync(file, { readOnly: true })
  const count = (table: string) =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
  const counts = { accounts: count('accounts'), namespaces: count('namespaces') }
  database.close()
  return counts
}

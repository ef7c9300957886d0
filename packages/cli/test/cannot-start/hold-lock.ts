/** Another process that holds a database locked, as a careless backup tool might. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

const script = `
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(process.argv[1])
  const { user_version: version } = database.prepare('PRAGMA user_version').get()
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE')
  database.exec('PRAGMA user_version = ' + version + '; COMMIT')
  process.stdout.write('locked')
  setInterval(() => {}, 1000)
`

const holders = new Map<string, ChildProcess>()

export async function holdLock(database: string): Promise<void> {
  const child = spawn(process.execPath, ['-e', script, database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  holders.set(database, child)
  onTestFinished(() => holdLock.release(database))
  await once(child.stdout, 'data')
}

holdLock.release = async (database: string): Promise<void> => {
  const child = holders.get(database)
  if (child === undefined) return
  holders.delete(database)
  child.kill('SIGKILL')
  await once(child, 'close')
}

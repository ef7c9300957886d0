/** The file of a new hub's database: its migrations take eight times as long as a copy of what they made. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HubSettings, openStore } from '@latchkey/hub'
import { testSettings } from './hub-settings.ts'

const name = 'latchkey.db'

let made: Promise<Buffer> | undefined

/** As the migrations leave it, with the time at which this process has first asked for one. */
export async function putNewDatabase(file: string): Promise<void> {
  made ??= migrate()
  writeFileSync(file, await made, { mode: 0o600 })
}

/** If the hub is to have one in its data directory. */
export async function putNewDatabaseOf({ data, database }: HubSettings): Promise<void> {
  if (database === `sqlite:${name}`) await putNewDatabase(join(data, name))
}

async function migrate(): Promise<Buffer> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-new-'))
  try {
    const store = await openStore(testSettings(data), { create: true })
    await store.close()
    return readFileSync(join(data, name))
  } finally {
    rmSync(data, { recursive: true })
  }
}

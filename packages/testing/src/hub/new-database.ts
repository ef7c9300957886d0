/** The file of a new hub's database: its migrations take eight times as long as a copy of what they made. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@latchkey/hub'
import { testSettings } from './hub-settings.ts'

let made: Promise<Buffer> | undefined

/** As the migrations leave it, with the time at which this process has first asked for one. */
export async function putNewDatabase(file: string): Promise<void> {
  made ??= migrate()
  writeFileSync(file, await made, { mode: 0o600 })
}

async function migrate(): Promise<Buffer> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-new-'))
  try {
    const store = await openStore(testSettings(data), { create: true })
    await store.close()
    return readFileSync(join(data, 'latchkey.db'))
  } finally {
    rmSync(data, { recursive: true })
  }
}

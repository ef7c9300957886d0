/** A hub's database as a first start makes it, with nothing in it: to make its tables takes most of that start. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HubSettings, openStore } from '@latchkey/hub'
import { testSettings } from './hub-settings.ts'

const name = 'latchkey.db'

/** Made once in a process. */
let empty: Buffer | undefined

/** Puts it into a data directory that has no database, if the hub is to have one there. */
export async function placeEmptyDatabase({ data, database }: HubSettings): Promise<void> {
  if (database !== `sqlite:${name}`) return
  empty ??= await makeEmpty()
  writeFileSync(join(data, name), empty, { mode: 0o600 })
}

async function makeEmpty(): Promise<Buffer> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-empty-'))
  try {
    const store = await openStore(testSettings(data), { create: true })
    await store.close()
    return readFileSync(join(data, name))
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** A data directory as a hub leaves it: stopped in good order, with a world, hub tokens and a key. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningHub, startHub } from '@latchkey/hub'
import { acme } from './acme.ts'
import { type SettingsChange, testSettings } from './hub-settings.ts'
import { putNewDatabaseOf } from './new-database.ts'
import { writeDirectory } from './write-directory.ts'

export interface Prepared {
  readonly data: string
  readonly database: string
  readonly masterKey: string
  /** The text of hub tokens by `account/name`. */
  readonly tokens: Readonly<Record<string, string>>
}

export async function prepareData(folder: string, world: object = acme): Promise<Prepared> {
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  await putNewDatabaseOf(testSettings(data))
  await (await startQuietly(data)).stop()
  const tokens = await writeDirectory(testSettings(data), world)
  return { ...placesIn(data), tokens }
}

export function placesIn(data: string): Pick<Prepared, 'data' | 'database' | 'masterKey'> {
  return { data, database: join(data, 'latchkey.db'), masterKey: join(data, 'master.key') }
}

/** A hub in this process on real time, which logs to nowhere. */
export function startQuietly(data: string, change: SettingsChange = {}): Promise<RunningHub> {
  return startHub(testSettings(data, change), { lines: { write() {}, async close() {} } })
}

/** A data directory as a hub leaves it: stopped in good order, with a world, hub tokens and a key. */

import { join } from 'node:path'
import { isRefusal } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import { systemClock } from '@latchkey/service/system-clock'
import { applyValue } from '../../src/directory/apply/apply-file.ts'
import { type HubSettings, openStore, type RunningHub, startHub } from '../../src/index.ts'
import { acme } from '../acme.ts'
import { type SettingsChange, testSettings } from '../world.ts'

export interface Prepared {
  readonly data: string
  readonly database: string
  readonly masterKey: string
  /** The text of hub tokens by `account/name`. */
  readonly tokens: Readonly<Record<string, string>>
}

export async function prepareData(folder: string, world: object = acme): Promise<Prepared> {
  const data = join(folder, 'data')
  await (await startQuietly(data)).stop()
  const tokens = await applyTo(testSettings(data), world)
  return { ...placesIn(data), tokens }
}

export function placesIn(data: string): Pick<Prepared, 'data' | 'database' | 'masterKey'> {
  return { data, database: join(data, 'latchkey.db'), masterKey: join(data, 'master.key') }
}

/** A hub in this process on real time, which logs to nowhere. */
export function startQuietly(data: string, change: SettingsChange = {}): Promise<RunningHub> {
  return startHub(testSettings(data, change), { lines: { write() {}, async close() {} } })
}

/** Makes a directory as a file says, from a connection of its own. */
export async function applyTo(
  settings: HubSettings,
  world: object,
): Promise<Record<string, string>> {
  const store = openStore(settings, { create: false })
  const { hubTokenPrefix } = settings
  const work = { now: systemClock(), randomBytes: pooledRandom(), hubTokenPrefix }
  const applied = await store.directory.change((tables) => applyValue({ ...work, tables }, world))
  store.close()
  if (isRefusal(applied)) throw new Error(`${applied.path}: ${applied.detail}`)
  return Object.fromEntries(
    applied.hubTokens.map(({ account, name, token }) => [`${account}/${name}`, token.reveal()]),
  )
}

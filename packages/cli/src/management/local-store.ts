/** The data of this machine's hub, opened for a command. */

import { existsSync } from 'node:fs'
import type { HubSettings } from '@latchkey/hub'
import { openStore, refuseDemoData, type Store } from '@latchkey/hub/management'
import { tell } from '../output/tell.ts'

type StoreSettings = Pick<HubSettings, 'data' | 'database' | 'demo'>

export async function openLocalStore(
  settings: StoreSettings,
  { create }: { create: boolean },
): Promise<Store> {
  const isNew = !existsSync(settings.data)
  const store = openStore(settings, { create })
  try {
    if (!settings.demo) await refuseDemoData(store.directory, settings.data)
  } catch (error) {
    store.close()
    throw error
  }
  if (isNew) tell(`made the data directory ${settings.data}`)
  return store
}

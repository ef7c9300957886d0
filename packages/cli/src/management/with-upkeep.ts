/** The content of this machine's hub, opened for a command while the hub may be running. */

import { openUpkeep, type Upkeep } from '@latchkey/storage/upkeep'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { openLocalStore } from './local-store.ts'

export async function withUpkeep<Result>(
  values: Values,
  work: (upkeep: Upkeep) => Promise<Result>,
): Promise<Result> {
  const settings = storeSettings(values)
  const store = await openLocalStore(settings, { create: false })
  try {
    return await work(openUpkeep(store, settings.data))
  } finally {
    store.close()
  }
}

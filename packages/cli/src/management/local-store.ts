import { existsSync } from 'node:fs'
import type { HubSettings } from '@latchkey/hub'
import {
  noteLastNumber,
  type OpenStoreOptions,
  openStore,
  refuseDemoData,
  type Store,
} from '@latchkey/hub/management'
import { tell } from '../output/tell.ts'

type StoreSettings = Pick<HubSettings, 'data' | 'database' | 'demo'>

/** Whether to make a database where there is none, and otherwise what to say. */
export type Opening = Pick<OpenStoreOptions, 'create' | 'ifMissing'>

export async function openLocalStore(settings: StoreSettings, opening: Opening): Promise<Store> {
  const isNew = !existsSync(settings.data)
  const store = await openStore(settings, opening)
  try {
    if (!settings.demo) await refuseDemoData(store.directory, settings.data)
  } catch (error) {
    await store.close()
    throw error
  }
  if (isNew) tell(`made the data directory ${settings.data}`)
  return { ...store, close: () => noteAndClose(settings.data, store) }
}

/** A command that fails after its change has done it: the number that could not be kept is no failure of the command. */
async function noteAndClose(data: string, store: Store): Promise<void> {
  await noteLastNumber(data, store).catch(() => {})
  await store.close()
}

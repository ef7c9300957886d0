/** Prepares the demo beside its running hub, and gives the screen that a newcomer can act on. */

import { storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { localManagement } from '../management/local.ts'
import { openLocalStore } from '../management/local-store.ts'
import { colours } from '../output/colours.ts'
import { demoScreen } from './demo-screen.ts'
import { prepareDemo } from './prepare-demo.ts'

interface Listening {
  readonly url: string
}

/** The hub listens already: a demo that finds its port taken must not end the tokens of another. */
export async function demoOf(
  hub: Listening,
  storage: Listening | undefined,
  values: Values,
): Promise<string> {
  const settings = storeSettings(values)
  const store = await openLocalStore(settings, { create: false })
  try {
    const made = await prepareDemo(localManagement(store, values))
    const addresses = { url: hub.url, storageUrl: storage?.url, data: settings.data }
    return demoScreen({ ...addresses, ...made }, colours(process.stdout))
  } finally {
    store.close()
  }
}

/** Prepares the demo beside its running hub, and gives the screen that a newcomer can act on. */

import { storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { openLocalStore } from '../management/local-store.ts'
import { colours } from '../output/colours.ts'
import { writeAddresses } from './addresses-file.ts'
import { demoScreen } from './demo-screen.ts'
import { ownCommand } from './own-command.ts'
import { prepareDemo } from './prepare-demo.ts'

interface Listening {
  readonly url: string
}

/** The hub listens already: a demo that finds its port taken must not change the tokens of another. */
export async function demoOf(
  hub: Listening,
  storage: Listening | undefined,
  values: Values,
): Promise<string> {
  const settings = storeSettings(values)
  const store = await openLocalStore(settings, { create: false })
  try {
    const tokens = await prepareDemo(store, values)
    const { data } = settings
    const addresses = { url: hub.url, storageUrl: storage?.url }
    writeAddresses(data, addresses)
    const command = ownCommand(process.env)
    return demoScreen({ ...addresses, data, tokens, command }, colours(process.stdout))
  } finally {
    await store.close()
  }
}

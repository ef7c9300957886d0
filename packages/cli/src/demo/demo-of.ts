/** Prepares the demo beside its running hub, and gives the screen that a newcomer can act on. */

import { storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { openLocalStore } from '../management/local-store.ts'
import { colours } from '../output/colours.ts'
import { writeAddresses } from './addresses-file.ts'
import { demoScreen } from './demo-screen.ts'
import { fillRepositories } from './fill-repositories.ts'
import { findTools, noTools } from './find-tools.ts'
import { ownCommand } from './own-command.ts'
import { findUid, prepareDemo } from './prepare-demo.ts'
import { sendWeights } from './send-weights.ts'

export interface DemoHub {
  readonly url: string
  /** Whether a forge runs beside it. */
  readonly servesRepositories: boolean
}

/** The hub listens already: a demo that finds its port taken must not change the tokens of another. */
export async function demoOf(
  hub: DemoHub,
  storage: { readonly url: string } | undefined,
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
    const tools = hub.servesRepositories ? findTools(process.env) : noTools
    if (hub.servesRepositories) {
      await fillRepositories(data, (repository) => findUid(store, values, repository))
      const token = tokens.get('demo-write')
      if (storage !== undefined && token?.id !== undefined) await sendWeights(hub.url, token.text)
    }
    return demoScreen({ ...addresses, data, tokens, command, tools }, colours(process.stdout))
  } finally {
    await store.close()
  }
}

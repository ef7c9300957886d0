/** `latchkey demo`: prints everything that there is to try in a demo that runs. */

import { ask } from '@latchkey/service/http/ask'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import type { Addresses } from '../demo/demo.ts'
import { colours } from '../output/colours.ts'
import { print } from '../output/show-result.ts'
import { unavailable } from '../output/stop.ts'

export function demoCommand(): Command {
  const command = new Command('demo')
    .description(
      'Shows the repositories and hub tokens of a running demo, and commands to paste. "latchkey serve --demo" starts a demo.',
    )
    .addHelpText('after', teaching)
    .action(showDemo)
  return addConfigurationFlags(command, 'manage')
}

const teaching = `
Example:
  latchkey demo

Run it in the directory in which "latchkey serve --demo" was started, in a second terminal.
The hub tokens are derived from the master key of the demo, so they stay the same as long as its
data directory exists. A hub token that you revoke stays revoked; the next start creates a new one.`

async function showDemo(flags: Flags): Promise<void> {
  const { values } = readConfiguration({ ...flags, demo: true }, process.env)
  const { readAddresses } = await import('../demo/addresses-file.ts')
  const { data } = storeSettings(values)
  const addresses = readAddresses(data)
  if (addresses === undefined || !(await answers(addresses))) {
    throw unavailable(
      `no demo runs on the data directory ${data}: start one with "latchkey serve --demo", or name its directory with --data`,
    )
  }
  print(await screen(addresses, values))
}

async function screen(addresses: Addresses, values: Values): Promise<string> {
  const { refuseRealData } = await import('@latchkey/hub/management')
  const { everything } = await import('../demo/everything.ts')
  const { noTools } = await import('../demo/find-tools.ts')
  const { ownCommand } = await import('../demo/own-command.ts')
  const { findDemoTokens } = await import('../demo/prepare-demo.ts')
  const { openLocalStore } = await import('../management/local-store.ts')
  const settings = storeSettings(values)
  const { data } = settings
  const store = await openLocalStore(settings, { create: false })
  try {
    await refuseRealData(store.directory, data)
    const tokens = await findDemoTokens(store, values)
    const command = ownCommand(process.env)
    return everything(
      { ...addresses, data, tokens, command, tools: noTools },
      colours(process.stdout),
    )
  } finally {
    await store.close()
  }
}

/** A demo that was killed has left its addresses behind. */
async function answers({ url }: Addresses): Promise<boolean> {
  try {
    const answer = await ask(`${url}/healthz`, { signal: AbortSignal.timeout(2000) })
    answer.discard()
    return answer.isOk
  } catch {
    return false
  }
}

/** `latchkey forge serve`: runs a forge without its hub, anywhere, and stops when asked to. */

import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { linkedForge, warningsAboutForge } from '../configuration/forge-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { tell } from '../output/tell.ts'
import { stopOnSignals } from './stop-on-signals.ts'

export function forgeServeCommand(): Command {
  const command = new Command('serve')
    .summary('run a forge on a separate machine')
    .description(
      'Runs a forge for a hub on another machine, until you stop it. It keeps git repositories in its own data directory, and asks the hub for every decision. You can start it before the hub. Logs are JSON lines on standard output.',
    )
    .addHelpText('after', teaching)
    .action(serveForge)
  return addConfigurationFlags(command, 'forge')
}

const teaching = `
Example:
  latchkey forge serve --hub https://hub.example --host 0.0.0.0 --trusted-proxies 10.0.0.5

The hub runs with --forge-url and the address of this forge: it forwards requests for repositories
there. A hub has one forge. The machine needs git. The credential is required and has no flag:
LATCHKEY_FORGE_CREDENTIAL, or LATCHKEY_FORGE_CREDENTIAL_FILE with a file of mode 600.
An administrator of the hub makes it:
  latchkey hub-token create ACCOUNT NAME --kind forge --output forge.token
It is read at the start: after a new one, start the forge again.

SIGINT, SIGTERM or SIGHUP stops the forge once running requests are done; a second one does not
wait for them.`

async function serveForge(flags: Flags): Promise<void> {
  const order = linkedForge(readConfiguration(flags, process.env))
  const { settings } = order
  const { hubUrl } = settings.hub
  for (const warning of warningsAboutForge(settings)) tell(`warning: ${warning}`)
  // `--help` and a mistyped option load no forge.
  const { prepareForgeData } = await import('../serve/own-data.ts')
  const { operationsPort, refuseTakenPorts } = await import('../serve/refuse-taken-ports.ts')
  const { startLinkedForge } = await import('../serve/start-linked-forge.ts')
  await refuseTakenPorts(settings.data, [settings, ...operationsPort(settings)])
  prepareForgeData(settings.data)
  const forge = await startLinkedForge(order)
  stopOnSignals(forge)
  const fault = forge.findFault()
  if (fault !== undefined) tell(`warning: requests get 503 until this is repaired. ${fault}`)
  tell(`latchkey forge is ready at ${forge.url}, for the hub ${hubUrl}`)
}

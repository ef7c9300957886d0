/** `latchkey serve`: starts a hub, says so in one line, and stops it when asked to. */

import { type HubSettings, startHub } from '@latchkey/hub'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { hubSettings, warningsAbout } from '../configuration/hub-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { demoOf } from '../demo/demo-of.ts'
import { tell } from '../output/tell.ts'
import { freePort } from './free-port.ts'
import { stopOnSignals } from './stop-on-signals.ts'

export function serveCommand(): Command {
  const command = new Command('serve')
    .description(
      'Runs the hub until it is told to stop. Answers token requests and the admin API, and keeps accounts, repositories and keys in the data directory. Logs are JSON lines on standard output.',
    )
    .addHelpText('after', teaching)
    .action(serve)
  return addConfigurationFlags(command, 'serve')
}

const teaching = `
Examples:
  latchkey serve --demo                       a small world to try things in
  latchkey serve                              a hub for this machine, in ./latchkey-data
  latchkey serve --host 0.0.0.0 --public-url https://hub.example \\
                 --cas-url https://cas.example/r/{repo}/{ref}

A switch is turned off by "no", as in --no-demo. The name in brackets is the environment variable;
the file takes the same options under their keys (docs/configuration.md).
The master key has no flag: LATCHKEY_MASTER_KEY, LATCHKEY_MASTER_KEY_FILE, or a file of mode 600.

SIGINT or SIGTERM stops the hub once running requests are done; a second one stops it at once.`

async function serve(flags: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  const settings = await settlePort(
    hubSettings(configuration),
    configuration.called.has('publicUrl'),
  )
  for (const warning of warningsAbout(settings)) tell(`warning: ${warning}`)
  const hub = await startHub(settings)
  stopOnSignals(hub)
  try {
    const screen = settings.demo ? await demoOf(hub, configuration.values) : ''
    tell(`latchkey hub is ready at ${hub.url}`)
    process.stdout.write(screen)
  } catch (error) {
    await hub.stop()
    throw error
  }
}

/** A hub's tokens name its address, so a free port is chosen before it starts. */
async function settlePort(settings: HubSettings, named: boolean): Promise<HubSettings> {
  if (settings.port !== 0 || named) return settings
  const port = await freePort(settings.host)
  return { ...settings, port, publicUrl: settings.publicUrl.replace(/:0$/, `:${port}`) }
}

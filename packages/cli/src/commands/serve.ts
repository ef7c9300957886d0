/** `latchkey serve`: starts a hub, says so in one line, and stops it when asked to. */

import { type HubSettings, type RunningHub, startHub } from '@latchkey/hub'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { hubSettings, warningsAbout } from '../configuration/hub-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { demoOf } from '../demo/demo-of.ts'
import { tell } from '../output/tell.ts'
import { unavailable } from '../stop.ts'
import { freePort } from './free-port.ts'
import { stopOnSignals } from './stop-on-signals.ts'

export function serveCommand(): Command {
  const command = new Command('serve')
    .summary('run the hub')
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
  const hub = await start(settings)
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

async function start(settings: HubSettings): Promise<RunningHub> {
  try {
    return await startHub(settings)
  } catch (error) {
    throw listenFailure(error) ?? error
  }
}

function listenFailure(error: unknown): Error | undefined {
  if (!(error instanceof Error && 'code' in error && 'port' in error)) return undefined
  const { code, port } = error
  const host = 'address' in error ? error.address : 'this machine'
  switch (code) {
    case 'EADDRINUSE':
      return unavailable(
        `port ${port} on ${host} is taken: choose another with --port, or stop what listens there`,
      )
    case 'EACCES':
      return unavailable(`port ${port} on ${host} is not open to this user: choose one above 1023`)
    case 'EADDRNOTAVAIL':
      return unavailable(`${host} is no address of this machine: choose another with --host`)
    default:
      return undefined
  }
}

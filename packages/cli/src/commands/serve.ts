/** `latchkey serve`: starts a hub, its storage and its forge, says so in a line each, and stops them when asked to. */

import type { HubSettings } from '@latchkey/hub'
import { freePort } from '@latchkey/service/http/port'
import type { StorageSettings } from '@latchkey/storage'
import { Command } from 'commander'
import { urlOf } from '../configuration/addresses.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { forgeBeside } from '../configuration/forge-settings.ts'
import { defaultCasUrl, hubSettings, warningsAbout } from '../configuration/hub-settings.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import {
  storageSettings,
  warningsAboutStorage,
  warningsWithoutStorage,
} from '../configuration/storage-settings.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { unavailable } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import type { Running } from '../serve/start-both.ts'
import { taughtBounds } from './revocation-words.ts'
import { stopOnSignals } from './stop-on-signals.ts'

export function serveCommand(): Command {
  const command = new Command('serve')
    .description(
      'Runs the hub and its storage until you stop them. The hub issues storage tokens and serves the admin API; the storage accepts uploads and downloads with a valid storage token. Accounts, repositories, keys and content are in the data directory. Logs are JSON lines on standard output.',
    )
    .addHelpText('after', teaching)
    .action(serve)
  return addConfigurationFlags(command, 'serve')
}

const teaching = `
Examples:
  latchkey serve --demo                       a demo with example data
  latchkey serve                              hub and storage for this machine, in ./latchkey-data
  latchkey serve --no-storage                 only the hub, for your own storage
  latchkey serve --forge                      with repositories, for hf and git clone
  latchkey serve --host 0.0.0.0 --public-url https://hub.example \\
                 --cas-url https://cas.example/r/{repo}/{ref}

A switch is turned off by "no", as in --no-demo. The name in brackets is the environment variable;
the file takes the same options under their keys (docs/reference/configuration.md).
The master key has no flag: LATCHKEY_MASTER_KEY, LATCHKEY_MASTER_KEY_FILE, or a file of mode 600.
The password of a PostgreSQL has none either: PGPASSWORD, ~/.pgpass, or LATCHKEY_DATABASE_FILE.
Nor have the credentials of a bucket: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,
LATCHKEY_OBJECTS_CREDENTIALS, LATCHKEY_OBJECTS_CREDENTIALS_FILE, or the role of the machine; and
for requests of clients LATCHKEY_OBJECTS_GRANT_CREDENTIALS. Storages that share a catalogue and a
bucket need the same LATCHKEY_STORAGE_MASTER_KEY.

At the storage:
${taughtBounds}
Running uploads and downloads with it are aborted, within about a second.

SIGINT, SIGTERM or SIGHUP stops both once running requests are done; a second one does not wait.`

async function serve(flags: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  trustCaCert(configuration)
  const { hub: settings, storage } = await settle(configuration)
  const warnings =
    storage === undefined ? warningsWithoutStorage(configuration) : warningsAboutStorage(storage)
  for (const warning of [...warningsAbout(settings), ...warnings]) tell(`warning: ${warning}`)
  const running = await startAll({ hub: settings, storage }, configuration)
  const { hub } = running
  stopOnSignals(running)
  try {
    const screen = settings.demo ? await demoScreen(running, configuration) : ''
    tell(`latchkey hub is ready at ${hub.url}`)
    if (running.storage !== undefined) tell(`latchkey storage is ready at ${running.storage.url}`)
    process.stdout.write(screen)
  } catch (error) {
    await running.stop()
    throw error
  }
}

/** `serve --help` and a mistyped option load neither the hub nor the storage. */
async function startAll({ hub, storage }: Settled, configuration: Configuration): Promise<Running> {
  const { startBoth } = await import('../serve/start-both.ts')
  return startBoth(hub, { storage, forge: forgeBeside(configuration, hub) })
}

async function demoScreen(
  { hub, storage, servesRepositories = false }: Running,
  { values }: Configuration,
): Promise<string> {
  const { demoOf } = await import('../demo/demo-of.ts')
  return demoOf({ url: hub.url, servesRepositories }, storage, values)
}

interface Settled {
  readonly hub: HubSettings
  readonly storage: StorageSettings | undefined
}

/** Tokens name the addresses of both, so free ports are chosen before they start, unless something else is named. `before` is what was chosen when they did. */
export async function settle(configuration: Configuration, before?: Settled): Promise<Settled> {
  const settings = hubSettings(configuration)
  const beside = storageSettings(configuration, settings)
  const { host } = settings
  const { publicUrl, casUrl } = configuration.values
  const choose = (port: number, url: string | undefined, chosen: number | undefined) =>
    port === 0 && url === undefined ? (chosen ?? anyPort(host)) : port
  const port = await choose(settings.port, publicUrl, before?.hub.port)
  const hub = { ...settings, port, publicUrl: publicUrl ?? urlOf(host, port) }
  if (beside === undefined) return { hub, storage: undefined }
  const storagePort = await choose(beside.port, casUrl, before?.storage?.port)
  const where = { casUrl: casUrl ?? defaultCasUrl(host, storagePort) }
  const storage = { ...beside, ...where, port: storagePort, issuer: hub.publicUrl }
  return { hub: { ...hub, ...where }, storage }
}

async function anyPort(host: string): Promise<number> {
  const port = await freePort(host)
  if (port === undefined)
    throw unavailable(`latchkey cannot listen on ${host}: choose another with --host`)
  return port
}

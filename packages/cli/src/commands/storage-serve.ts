/** `latchkey storage serve`: runs a storage without its hub, anywhere, and stops when asked to. */

import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { linkedStorage } from '../configuration/linked-storage-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { warningsAboutStorage } from '../configuration/storage-settings.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { tell } from '../output/tell.ts'
import { describeBounds, taughtBounds } from './revocation-words.ts'
import { stopOnSignals } from './stop-on-signals.ts'

export function storageServeCommand(): Command {
  const command = new Command('serve')
    .summary('run a storage on a separate machine')
    .description(
      'Runs a storage for a hub on another machine, until you stop it. It keeps content in its own data directory, and gets keys and changes from the hub. You can start it before the hub. Logs are JSON lines on standard output.',
    )
    .addHelpText('after', teaching)
    .action(serveStorage)
  return addConfigurationFlags(command, 'storage')
}

const teaching = `
Example:
  latchkey storage serve --hub https://hub.example --cas-url 'https://cas.example/r/{repo}/{ref}' \\
                         --host 0.0.0.0

The hub runs with --no-storage and the same --cas-url: it sends clients there, and every token
contains it. The credential is required and has no flag: LATCHKEY_STORAGE_CREDENTIAL,
or LATCHKEY_STORAGE_CREDENTIAL_FILE with a file of mode 600. An administrator of the hub makes it:
  latchkey hub-token create ACCOUNT NAME --kind storage --output cas.token
It is read at the start: after a new one, start the storage again. The credentials of a bucket
have no flag either: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, LATCHKEY_OBJECTS_CREDENTIALS,
LATCHKEY_OBJECTS_CREDENTIALS_FILE, or the role of the machine. Storages that share a catalogue and
a bucket need the same LATCHKEY_STORAGE_MASTER_KEY.

${taughtBounds}
Running uploads and downloads with it are aborted, at a linked storage within about a second.

SIGINT, SIGTERM or SIGHUP stops the storage once running requests are done; a second one does not
wait for them.`

async function serveStorage(flags: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  const linked = linkedStorage(configuration)
  trustCaCert(configuration)
  const { settings, hubUrl } = linked
  for (const warning of warningsAboutStorage(settings, '')) tell(`warning: ${warning}`)
  // `--help` and a mistyped option load no storage.
  const { prepareOwnData } = await import('../serve/own-data.ts')
  const { operationsPort, refuseTakenPorts } = await import('../serve/refuse-taken-ports.ts')
  const { startLinkedStorage } = await import('../serve/start-linked-storage.ts')
  await refuseTakenPorts(settings.data, [settings, ...operationsPort(settings)])
  prepareOwnData(settings.data)
  const storage = await startLinkedStorage(linked)
  stopOnSignals(storage)
  const fault = await storage.findFault()
  if (fault !== undefined) {
    tell(`warning: requests get 503, because the content cannot be used. ${fault}`)
  } else if (!(await storage.isReady())) {
    tell(`warning: the hub ${hubUrl} cannot be reached yet; requests get 503 until it can`)
  }
  tell(`latchkey storage is ready at ${storage.url}, for the hub ${hubUrl}`)
  tell(`tokens must come from ${settings.issuer} and be for ${settings.casUrl}`)
  if (settings.revocations !== undefined) tell(describeBounds(settings.revocations))
}

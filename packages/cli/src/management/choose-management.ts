/** Decides where a management command works: on this machine's data, or on the hub that `--hub` names. */

import { isServiceUrl } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import { type Command, Option as Flag } from 'commander'
import { refusePlainHttp } from '../configuration/addresses.ts'
import { addConfigurationFlags, addOptionFlags } from '../configuration/flags.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import {
  type Environment,
  hubTokenVariable,
  takeSecret,
} from '../configuration/read-environment.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { wrongUsage } from '../output/stop.ts'
import { parseHubToken } from '../reading/hub-token.ts'
import type { Opening } from './local-store.ts'
import type { Management, UseManagement } from './management.ts'
import { commandLine } from './refusal-line.ts'
import { type Hub, remoteManagement } from './remote.ts'

/** Options that only concern this machine's data: a remote hub decides them itself. */
export const localOnly: readonly string[] = [
  'data',
  'database',
  'demo',
  'hubTokenPrefix',
  'hidePrivateRepositories',
]

const elsewhere = 'On another machine'

export function addManagementFlags(
  command: Command,
  { makesToken = false, json = 'Print JSON for machines instead of a table for people.' } = {},
): Command {
  command.option('--json', json)
  if (makesToken) {
    command.option(
      '--output <file>',
      'Write the new hub token to this new file, for its owner only.',
    )
  }
  addConfigurationFlags(command, 'manage')
  if (makesToken) addOptionFlags(command, 'make-token')
  const remote = [
    new Flag(
      '--hub <URL>',
      'Work on this hub through its admin API instead of the data directory; the admin hub token comes from LATCHKEY_HUB_TOKEN or LATCHKEY_HUB_TOKEN_FILE.',
    ).conflicts([...localOnly]),
    new Flag('--allow-plain-http', 'Let --hub name another machine without https.'),
  ]
  for (const flag of remote) command.addOption(flag.helpGroup(`${elsewhere}:`))
  return addOptionFlags(command, 'remote', elsewhere)
}

export function withManagement<Result>(
  flags: Flags,
  opening: Opening,
  work: (management: Management) => Promise<Result>,
): Promise<Result> {
  return managementFrom(flags, opening)(work)
}

/** The flags are read once; what they name may be used again and again. */
export function managementFrom(flags: Flags, opening: Opening): UseManagement {
  const open = choose(flags, opening)
  return async (work) => {
    const management = await open()
    try {
      return await work(management)
    } finally {
      await management.close()
    }
  }
}

function choose(flags: Flags, opening: Opening): () => Promise<Management> {
  // The command has these itself. Options of the same names are for the gate and for serve.
  const { hub, allowPlainHttp, storage, ...rest } = flags
  const configuration = readConfiguration(rest, process.env)
  if (typeof hub !== 'string') {
    return async () => {
      // A remote hub is managed without the code of a hub and its database.
      const { openLocalManagement } = await import('./local.ts')
      return openLocalManagement(configuration.values, { ifMissing: firstStep(flags), ...opening })
    }
  }
  trustCaCert(configuration)
  const { env: environment } = process
  const named = chooseHub(hub, { allowPlainHttp: allowPlainHttp === true, environment })
  return async () => remoteManagement(named)
}

/** The demo makes its own accounts; elsewhere an administrator comes first. */
function firstStep(flags: Flags): string {
  const words =
    flags['demo'] === true ? ['serve'] : ['account', 'create', 'NAME', '--administrator']
  return `Name the hub's own directory with --data; "latchkey serve", "latchkey apply", the first account and the first namespace make a new one. Next: ${commandLine(words, flags)}`
}

/** The hub that `--hub` names, and the token for it; plain http only where nobody can listen. */
function chooseHub(
  url: string,
  { allowPlainHttp, environment }: { allowPlainHttp: boolean; environment: Environment },
): Hub {
  if (!isServiceUrl(url)) {
    throw wrongUsage(
      `--hub: ${quoteGiven(url)} is not allowed; give the hub's public URL, without trailing slash`,
    )
  }
  refusePlainHttp({ url, called: '--hub', allowPlainHttp })
  const secret = takeSecret(environment, hubTokenVariable)
  const token = parseHubToken(secret?.value ?? '')
  if (token === undefined) {
    throw wrongUsage(
      `--hub needs an admin hub token in ${hubTokenVariable}, or in the file that ${hubTokenVariable}_FILE names`,
    )
  }
  return { url, token, variable: secret?.called ?? hubTokenVariable }
}

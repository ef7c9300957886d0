/** `latchkey login`: keeps a hub token for this person, once the hub has said whose it is. */

import { Command } from 'commander'
import { askWho, hintOf, type Who } from '../client/ask-who.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { refusePlainHttp } from '../configuration/plain-http.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { hubTokenVariable, takeSecret } from '../configuration/read-environment.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { askHubToken } from '../credentials/ask-hub-token.ts'
import { type Credentials, logIn } from '../credentials/credentials.ts'
import {
  credentialsFile,
  readCredentials,
  writeCredentials,
} from '../credentials/credentials-file.ts'
import { meantHub } from '../credentials/meant-hub.ts'
import { wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'

export function loginCommand(): Command {
  const command = new Command('login')
    .description(
      'Asks for a hub token, checks it at the hub, and keeps it for latchkey token, fetch, upload, download and whoami. It is asked for without being shown, or read from the first line of standard input; never taken from the arguments. The hub logged in to last is meant wherever no other is named.',
    )
    .addHelpText('after', teaching)
    .action(login)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey login --hub https://hub.example
  pass show latchkey | latchkey login --hub https://hub.example

The hub token is kept in credentials.json in $XDG_CONFIG_HOME/latchkey (~/.config/latchkey), for its
owner only, and goes to its own hub alone. latchkey hub-token create makes one.`

async function login(flags: Flags): Promise<void> {
  const { env } = process
  const overruling = takeSecret(env, hubTokenVariable)?.called
  const file = credentialsFile(env)
  const configuration = readConfiguration(flags, env)
  const hub = chooseHub(configuration, readCredentials(file))
  trustCaCert(configuration)
  const token = await askHubToken(hub.url)
  const who = await askWho({ ...hub, token, source: 'typed' })
  // Read once more: another login may have come while this one was typed.
  writeCredentials(file, logIn(readCredentials(file), hub.url, token))
  tell(`logged in to ${hub.url} as ${describe(who)}; kept in ${file}`)
  if (overruling !== undefined) tell(`note: ${overruling} is set, and goes before what is kept`)
}

/** On a terminal the question names the hub; in a pipe nobody would have. */
function chooseHub(
  configuration: Configuration,
  credentials: Credentials,
): { url: string; allowPlainHttp: boolean } {
  const { allowPlainHttp } = configuration.values
  const { url, called, isNamed } = meantHub(configuration, credentials)
  refusePlainHttp({ url, called, allowPlainHttp })
  if (!isNamed && !process.stdin.isTTY) {
    throw wrongUsage('no hub is named beside the hub token: say --hub URL, or set LATCHKEY_HUB')
  }
  return { url, allowPlainHttp }
}

function describe({ account, hubToken }: Who): string {
  const { name, kind, expiresAt } = hubToken
  const until = expiresAt === undefined ? '' : `, until ${expiresAt}`
  return `${account.name} with the hub token ${name} (${kind}, ${hintOf(hubToken)}${until})`
}

import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { logOut } from '../credentials/credentials.ts'
import {
  credentialsFile,
  readCredentials,
  writeCredentials,
} from '../credentials/credentials-file.ts'
import { meantHub } from '../credentials/find-login.ts'
import { tell } from '../output/tell.ts'

export function logoutCommand(): Command {
  const command = new Command('logout')
    .description(
      'Deletes the hub token that latchkey login saved for a hub on this machine. At the hub it stays valid until it expires or is revoked.',
    )
    .addHelpText('after', teaching)
    .action(logout)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey logout                               of the hub logged in to last
  latchkey logout --hub https://hub.example

latchkey hub-token revoke ends a hub token everywhere.`

function logout(flags: Flags): void {
  const file = credentialsFile(process.env)
  const credentials = readCredentials(file)
  const configuration = readConfiguration(flags, process.env)
  if (credentials.tokens.size === 0 && configuration.values.hub === undefined) {
    tell('you are not logged in')
    return
  }
  const { url } = meantHub(configuration, credentials)
  if (!credentials.tokens.has(url)) {
    tell(`you are not logged in to ${url}`)
    return
  }
  const left = logOut(credentials, url)
  writeCredentials(file, left)
  tell(`logged out of ${url}; the hub token stays valid there until it expires or is revoked`)
  if (left.current === undefined && left.tokens.size > 0) {
    tell(`still logged in to ${[...left.tokens.keys()].join(', ')}: pass one with --hub`)
  }
}

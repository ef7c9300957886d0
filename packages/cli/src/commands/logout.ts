import { Command } from 'commander'
import { revokeDevice } from '../client/device-login.ts'
import { refusePlainHttp } from '../configuration/addresses.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
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
      'Ends the login on this machine: revokes a sign-in of the browser at its hub, and deletes the hub token. A hub token that you typed stays valid at the hub until it expires or is revoked.',
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

async function logout(flags: Flags): Promise<void> {
  const file = credentialsFile(process.env)
  const credentials = readCredentials(file)
  const configuration = readConfiguration(flags, process.env)
  if (credentials.tokens.size === 0 && configuration.values.hub === undefined) {
    tell('you are not logged in')
    return
  }
  const { url, called } = meantHub(configuration, credentials)
  if (!credentials.tokens.has(url)) {
    tell(`you are not logged in to ${url}`)
    return
  }
  trustCaCert(configuration)
  const device = credentials.devices.get(url)
  const { allowPlainHttp } = configuration.values
  if (device !== undefined) refusePlainHttp({ url, called, allowPlainHttp })
  const isRevoked = device !== undefined && (await revokeDevice(url, device.refreshToken))
  // Read once more: another command may have written meanwhile.
  const left = logOut(readCredentials(file), url)
  writeCredentials(file, left)
  tell(`logged out of ${url}; ${endOf(device !== undefined, isRevoked)}`)
  if (left.current === undefined && left.tokens.size > 0) {
    tell(`still logged in to ${[...left.tokens.keys()].join(', ')}: pass one with --hub`)
  }
}

function endOf(isDevice: boolean, isRevoked: boolean): string {
  if (isRevoked) return 'the hub has revoked this sign-in'
  if (!isDevice) return 'the hub token stays valid there until it expires or is revoked'
  return 'the hub did not answer, so this sign-in stays valid there: revoke it on the page /account of the hub'
}

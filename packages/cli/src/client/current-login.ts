/** The login of a command, renewed first where its hub token ends soon. */

import type { Flags } from '../configuration/read-configuration.ts'
import type { Environment } from '../configuration/read-environment.ts'
import { renew } from '../credentials/credentials.ts'
import {
  credentialsFile,
  readCredentials,
  writeCredentials,
} from '../credentials/credentials-file.ts'
import { findLogin, type Login } from '../credentials/find-login.ts'
import { refused, type Stop, unavailable } from '../output/stop.ts'
import { nowSeconds, refreshDevice } from './device-login.ts'

/** The hub repeats its answer for ten minutes, so several commands may renew at once. */
const renewedBeforeSeconds = 86_400

export async function currentLogin(flags: Flags, environment: Environment): Promise<Login> {
  const login = findLogin(flags, environment)
  const { url, token, device } = login
  const now = nowSeconds()
  if (device === undefined || device.expiresAt - renewedBeforeSeconds > now) return login
  const renewed = await refreshDevice(url, device.refreshToken)
  const isOver = device.expiresAt <= now
  if (renewed === 'unavailable') {
    if (isOver) throw notRenewed(url)
    return login
  }
  if (renewed === 'dead' && isOver) throw signedOut(url)
  const file = credentialsFile(environment)
  const stored = readCredentials(file)
  // Another login may have come meanwhile.
  if (stored.tokens.get(url)?.reveal() === token.reveal()) {
    writeCredentials(file, renew(stored, url, renewed === 'dead' ? { token } : loginOf(renewed)))
  }
  return renewed === 'dead' ? login : { ...login, ...loginOf(renewed) }
}

function loginOf({ token, ...device }: Exclude<Awaited<ReturnType<typeof refreshDevice>>, string>) {
  return { token, device }
}

function notRenewed(url: string): Stop {
  return unavailable(
    `the hub token for ${url} has expired, and the hub does not renew it now; try again later`,
  )
}

function signedOut(url: string): Stop {
  return refused(
    `your sign-in at ${url} has ended: it is 60 days old, or it was revoked; run latchkey login --hub ${url}`,
  )
}

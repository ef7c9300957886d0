/** Signs a CI job in: its platform gives an id token, and the hub a hub token of one repository for it (RFC 8693). */

import { Secret } from '@latchkey/protocol'
import { ask, reasonOf } from '@latchkey/service/http/ask'
import { type Environment, idTokenVariable, takeSecret } from '../configuration/read-environment.ts'
import { refused, unavailable, wrongUsage } from '../output/stop.ts'
import { parseHubToken } from '../reading/hub-token.ts'
import { membersOf, textOf } from '../reading/members-of.ts'
import { postOAuth } from './device-login.ts'

const maxAnswerBytes = 64 * 1024

/** `repository` as in `models/acme/bert`. */
export async function signInJob(
  hub: string,
  repository: string,
  environment: Environment,
): Promise<Secret<'hub-token'>> {
  const idToken = await findIdToken(hub, environment)
  const answer = await postOAuth(`${hub}/oauth/token`, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    subject_token: idToken.reveal(),
    resource: repository,
  }).catch((error: unknown) => {
    throw unavailable(`${hub} cannot be reached (${reasonOf(error, 'no response in time')})`)
  })
  const token = parseHubToken(textOf(answer.members['access_token']) ?? '')
  if (token !== undefined) return token
  const why = textOf(answer.members['error_description']) ?? `status ${answer.status}`
  throw refused(`${hub} gives this job no hub token: ${why}`)
}

/** From the variable, or from GitHub Actions, which signs one for the hub. */
async function findIdToken(hub: string, environment: Environment): Promise<Secret<'id-token'>> {
  const own = takeSecret(environment, idTokenVariable)
  if (own !== undefined) return new Secret('id-token', own.value)
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = environment
  if (url === undefined || bearer === undefined) throw noIdToken()
  const address = new URL(url)
  address.searchParams.set('audience', hub)
  const answer = await ask(address.href, {
    headers: { authorization: `Bearer ${bearer}`, accept: 'application/json' },
  }).catch((error: unknown) => {
    throw unavailable(`GitHub Actions gave no id token (${reasonOf(error, 'no response in time')})`)
  })
  const bytes = await answer.read(maxAnswerBytes)
  const value = answer.isOk
    ? textOf(membersOf(parsed(bytes?.toString() ?? ''))['value'])
    : undefined
  if (value === undefined) {
    throw unavailable(`GitHub Actions gave no id token (status ${answer.status})`)
  }
  return new Secret('id-token', value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function noIdToken() {
  return wrongUsage(
    `this job has no id token: in GitHub Actions give it "permissions: id-token: write", elsewhere set ${idTokenVariable} to an id token whose audience is the hub`,
  )
}

/** The hub tokens and sessions of one's own account: listed and revoked by the login, created and rotated in a browser. */

import type { Secret } from '@latchkey/protocol'
import { ask, reasonOf } from '@latchkey/service/http/ask'
import { refusePlainHttp } from '../configuration/addresses.ts'
import { attributeOf } from '../configuration/option.ts'
import { optionKeys, rowOf } from '../configuration/options.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { credentialsFile, readCredentials } from '../credentials/credentials-file.ts'
import { type Login, meantHub } from '../credentials/find-login.ts'
import { noHub } from '../management/remote.ts'
import { unavailable } from '../output/stop.ts'
import { parseHubToken } from '../reading/hub-token.ts'
import { isObject, jsonIn, membersOf, textOf } from '../reading/members-of.ts'
import { currentLogin } from './current-login.ts'
import { waitForApproval } from './device-login.ts'
import { type Failure, stopForFailure } from './failure-line.ts'

const maxAnswerBytes = 4 * 1024 * 1024
const maxWaitMs = 30_000

/** The options that a client command has; commands that also manage data have more. */
function clientFlags(flags: Flags): Flags {
  const keys = optionKeys.filter((key) => rowOf(key).takers.includes('client'))
  const names = ['config', ...keys.map(attributeOf)]
  return Object.fromEntries(names.map((name) => [name, flags[name]]))
}

/** `path` is below `/account/v1`. */
export async function askAccount(
  flags: Flags,
  method: 'GET' | 'POST',
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  const login = await currentLogin(clientFlags(flags), process.env)
  const { url, token } = login
  const headers = { authorization: `Bearer ${token.reveal()}`, accept: 'application/json' }
  const answer = await ask(`${url}/account/v1/${path}`, { method, headers, maxWaitMs }).catch(
    (error: unknown) => {
      throw unavailable(`${url} cannot be reached (${reasonOf(error, 'no response in time')})`)
    },
  )
  const bytes = await answer.read(maxAnswerBytes)
  const value = jsonIn(bytes?.toString() ?? '')
  if (answer.isOk && isObject(value)) return value
  throw stopForFailure(failureIn(value, login), { login })
}

function failureIn(value: unknown, login: Login): Failure {
  const { code, detail } = membersOf(value)
  const message = textOf(detail)
  if (typeof code !== 'string' || message === undefined) throw noHub(login)
  return { code: code as Failure['code'], message }
}

export interface MadeHubToken extends Readonly<Record<string, unknown>> {
  readonly token: string
}

/** A person with a new sign-in approves in a browser exactly what `wish` names (RFC 9396). */
export async function approveHubToken(
  flags: Flags,
  wish: Readonly<Record<string, unknown>>,
): Promise<MadeHubToken> {
  const configuration = readConfiguration(clientFlags(flags), process.env)
  trustCaCert(configuration)
  const hub = meantHub(configuration, readCredentials(credentialsFile(process.env)))
  const { allowPlainHttp } = configuration.values
  refusePlainHttp({ ...hub, allowPlainHttp })
  return waitForApproval(hub.url, {
    form: { authorization_details: JSON.stringify([wish]) },
    read: ({ members }) => {
      const token = parseHubToken(textOf(members['access_token']) ?? '')
      return token && madeIn(token, members['authorization_details'])
    },
    ...{ what: 'hub token', again: 'the command' },
  })
}

function madeIn(token: Secret<'hub-token'>, details: unknown): MadeHubToken {
  const [made] = Array.isArray(details) ? details : []
  const { type: _, ...facts } = membersOf(made)
  return { ...facts, token: token.reveal() }
}

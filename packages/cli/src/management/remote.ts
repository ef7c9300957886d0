/** The operations on a remote hub, over the admin client. */

import { createAdminClient, LatchkeyError, textWithSecrets } from '@latchkey/admin-client'
import { type Refusal, type RefusalCode, refuse, type Secret, statusOf } from '@latchkey/protocol'
import { tlsReason } from '@latchkey/service/http/ask'
import { nodeFetch } from '../network/node-fetch.ts'
import { refused, type Stop, unavailable, wrongUsage } from '../output/stop.ts'
import { traced } from '../output/traced.ts'
import type { Input, Management } from './management.ts'

export interface Hub {
  readonly url: string
  readonly token: Secret<'hub-token'>
  /** The variable that the token came from, if it came from one. */
  readonly variable?: string
}

export function remoteManagement(hub: Hub): Management {
  return { run: ({ words }, input) => askAdmin(hub, words, input), close: async () => {} }
}

/** The result with new secrets as text, or a refusal; plain http was decided on before. */
export async function askAdmin(hub: Hub, words: string, input: Input = {}): Promise<unknown> {
  const { url: hubUrl, token: hubToken } = hub
  const options = { hubUrl, hubToken, allowPlainHttp: true, retryTimeoutSeconds: 0 }
  try {
    const admin = createAdminClient({ ...options, fetch: nodeFetch })
    return JSON.parse(textWithSecrets(await admin.run(words, input)))
  } catch (error) {
    if (!(error instanceof LatchkeyError)) throw error
    return refusalOf(error, hub)
  }
}

/** A refusal of the hub is a value; otherwise nobody has decided anything. */
function refusalOf(error: LatchkeyError, hub: Hub): Refusal {
  const { code, message, status, requestId, missing, inputPath: path, next } = error
  const { url } = hub
  if (code === 'hub_unreachable') throw notReached(message, hub)
  if (code === 'redirected') {
    throw unavailable(
      `${url} responds with a redirect, which latchkey does not follow: use the final address`,
    )
  }
  if (code === 'answer_invalid') throw noAnswer(message, hub)
  if (code === 'bad_option') throw wrongUsage(message.replace(/\.$/, ''))
  const line = traced(tokenNotTaken(code, hub) ?? message, requestId)
  // A hub that is newer than this command may have other codes.
  if (!isRefusalCode(code)) throw status === undefined ? unavailable(line) : refused(line)
  return refuse(code, line, {
    ...(missing === undefined ? {} : { missing }),
    ...(path === undefined ? {} : { path }),
    ...(next === undefined ? {} : { next }),
  })
}

/** The client ends its sentence with the code of the system. */
function notReached(message: string, { url }: Hub): Stop {
  const [, cause = 'no response in time'] = / \(([A-Z\d_]+)\)\.$/.exec(message) ?? []
  const advice = tlsReason(cause) ?? 'check --hub, and that the hub runs'
  return unavailable(`the hub ${url} cannot be reached (${cause}); ${advice}`)
}

function noAnswer(message: string, hub: Hub): Stop {
  if (/ more than \d+ MiB\.$/.test(message)) return unavailable(message.replace(/\.$/, ''))
  return noHub(hub, / \(status \d+\)(?=\.$)/.exec(message)?.[0])
}

/** The hub speaks of headers; a person has set a variable. */
function tokenNotTaken(code: string, { url, variable }: Hub): string | undefined {
  if (code !== 'hub_token_invalid' || variable === undefined) return undefined
  return `${url} rejects the hub token from the environment (${variable}): it is mistyped, revoked or expired, or its account is disabled. Put a valid admin hub token there.`
}

function isRefusalCode(code: unknown): code is RefusalCode {
  return typeof code === 'string' && Object.hasOwn(statusOf, code)
}

export function noHub({ url }: Hub, more = ''): Stop {
  return unavailable(`${url} does not respond like a hub${more}, so it may not be one; check --hub`)
}

/** One token request: sent, answered, read. What goes wrong is a value. */

import type { Moment, Scope } from '@latchkey/protocol'
import { momentOf } from '../clock/client-clock.ts'
import { type ErrorFacts, LatchkeyError } from '../error/latchkey-error.ts'
import type { Credential } from '../identity/credential.ts'
import type { ResolvedClientOptions } from '../options/resolve-options.ts'
import { untilAborted } from '../patience/until-aborted.ts'
import { dateOf, readRetryAfter } from '../patience/worth-a-retry.ts'
import { askHub, clean, codeBy, type HubAnswer, isCode, redirectError } from './ask-hub.ts'
import { membersOf, readTokenAnswer, type StorageToken } from './read-token-answer.ts'

export interface ReceivedToken {
  readonly token: StorageToken
  readonly identity: number
  /** How long it lives by the hub's own clock, counted from `since`. */
  readonly lifeMs: number
  /** Before the request was sent: what the way took has gone from the token's life. */
  readonly since: Moment
}

export type RequestToken = (scope: Scope) => Promise<ReceivedToken | LatchkeyError>

export interface Hub {
  readonly settled: ResolvedClientOptions
  readonly credential: Credential
  /** Ends every request when the client is closed. */
  readonly closing: AbortSignal
}

/** Room for two members of 64000 characters, however they are escaped. */
const bounds = { maxBytes: 1024 * 1024, timeoutMs: 10_000 }

export function tokenRequests({ settled, credential, closing }: Hub): RequestToken {
  const { hubUrl, clock, allowPlainHttp } = settled

  return async function request(scope) {
    const tokenInUse = await untilAborted(credential.get(), closing)
    const since = momentOf(clock)
    const facts = { method: 'GET', path: settled.tokenPath(scope) }
    const { token: hubToken } = tokenInUse
    const answer = await askHub(settled, { ...facts, ...bounds, token: hubToken }, facts, closing)
    if (answer instanceof LatchkeyError) return answer

    const { status } = answer
    if (status === 401) credential.reject(tokenInUse)
    if (status === 401 && !tokenInUse.isNew) return request(scope)
    if (status >= 400) {
      const retryAfterSeconds = readRetryAfter(answer.headers, clock.wallMs())
      return readRefusal(answer, { ...facts, retryAfterSeconds }, hubToken?.reveal())
    }
    // A browser shows of a redirect not even its status.
    if (status < 200 || status > 299) return redirectError(hubUrl, facts)
    // A token got for somebody whom the caller no longer is.
    if (tokenInUse.identity !== credential.identity()) return request(scope)

    const nowSeconds = Math.floor(dateOf(answer.headers, since.wallMs) / 1000)
    const expected = { scope, hubUrl, allowPlainHttp, nowSeconds, facts: { ...facts, status } }
    const token = readTokenAnswer(answer.text ?? '', expected)
    if (token instanceof LatchkeyError) return token
    return { token, identity: tokenInUse.identity, lifeMs: (token.exp - nowSeconds) * 1000, since }
  }
}

export function readRefusal(
  { status, headers, text }: HubAnswer,
  facts: ErrorFacts,
  secret: string | undefined,
): LatchkeyError {
  const members = membersOf(text ?? '')
  const textOf = (member: unknown) => (typeof member === 'string' ? clean(member, secret) : '')
  const code = textOf(members['code'])
  const message = textOf(members['detail']) || `The hub answers ${status}.`
  const requestId = textOf(headers.get('x-request-id')) || undefined
  const errorCode = isCode(code) ? code : codeBy(status)
  return new LatchkeyError(errorCode, message, { ...facts, status, requestId })
}

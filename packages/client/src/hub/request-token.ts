/** One token request: sent, answered, read. What goes wrong is a value. */

import type { Moment, RefusalCode, Scope } from '@latchkey/protocol'
import { momentOf } from '../clock/client-clock.ts'
import { causeOf, type ErrorFacts, LatchkeyError } from '../error/latchkey-error.ts'
import type { Credential, HubTokenInUse } from '../identity/credential.ts'
import type { ResolvedClientOptions } from '../options/resolve-options.ts'
import { untilAborted } from '../patience/until-aborted.ts'
import { type AnswerHeaders, dateOf, readRetryAfter } from '../patience/worth-a-retry.ts'
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
const maxResponseBytes = 1024 * 1024
const timeoutMs = 10_000

export function tokenRequests({ settled, credential, closing }: Hub): RequestToken {
  const { hubUrl, clock, allowPlainHttp } = settled

  return async function request(scope) {
    const tokenInUse = await untilAborted(credential.get(), closing)
    const since = momentOf(clock)
    const facts = { method: 'GET', path: settled.tokenPath(scope) }
    const answer = await ask(settled, facts, { tokenInUse, closing })
    if (answer instanceof LatchkeyError) return answer

    const { status } = answer
    if (status === 401) credential.reject(tokenInUse)
    if (status === 401 && !tokenInUse.isNew) return request(scope)
    if (status >= 400) {
      const retryAfterSeconds = readRetryAfter(answer.headers, clock.wallMs())
      return readRefusal(answer, { ...facts, retryAfterSeconds }, tokenInUse.token?.reveal())
    }
    // A browser shows of a redirect not even its status.
    if (status < 200 || status > 299) return redirected(hubUrl, facts)
    // A token got for somebody whom the caller no longer is.
    if (tokenInUse.identity !== credential.identity()) return request(scope)

    const nowSeconds = Math.floor(dateOf(answer.headers, since.wallMs) / 1000)
    const expected = { scope, hubUrl, allowPlainHttp, nowSeconds, facts: { ...facts, status } }
    const token = readTokenAnswer(answer.text, expected)
    if (token instanceof LatchkeyError) return token
    return { token, identity: tokenInUse.identity, lifeMs: (token.exp - nowSeconds) * 1000, since }
  }
}

interface Facts {
  readonly method: string
  readonly path: string
}

/** No redirect, no cache and no cookie takes part. Spread, because the types of Node 20 do not know `cache`. */
const alone = { redirect: 'manual', cache: 'no-store', credentials: 'omit' } as const

async function ask(
  { hubUrl, fetch, clock }: ResolvedClientOptions,
  facts: Facts,
  { tokenInUse, closing }: { tokenInUse: HubTokenInUse; closing: AbortSignal },
): Promise<HubAnswer | LatchkeyError> {
  const late = new AbortController()
  const callOff = clock.later(timeoutMs, () => late.abort(), { background: true })
  try {
    const response = await fetch(hubUrl + facts.path, {
      headers: headersFor(tokenInUse),
      ...alone,
      signal: AbortSignal.any([closing, late.signal]),
    })
    const { status, headers } = response
    const text = await boundedText(response, maxResponseBytes)
    return { status, headers, text }
  } catch (error) {
    closing.throwIfAborted()
    const reason = late.signal.aborted ? ' (no answer in time)' : causeOf(error, hubUrl)
    const message = `The hub ${hubUrl} cannot be reached${reason}.`
    return new LatchkeyError('hub_unreachable', message, facts)
  } finally {
    callOff()
  }
}

function headersFor({ token }: HubTokenInUse): [string, string][] {
  return token === undefined ? [] : [['authorization', `Bearer ${token.reveal()}`]]
}

function redirected(hubUrl: string, facts: Facts): LatchkeyError {
  return new LatchkeyError('redirected', `${hubUrl} redirects: give the hub's own address.`, facts)
}

/** The body of an answer as text; of one that goes on beyond the limit, nothing. */
async function boundedText(response: Pick<Response, 'body'>, limit: number): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
    if (text.length > limit) {
      // Not awaited: the other side may never let go.
      reader.cancel().catch(() => {})
      return ''
    }
  }
}

const maxTextLength = 500

interface HubAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly text: string
}

export function readRefusal(
  { status, headers, text }: HubAnswer,
  facts: ErrorFacts,
  secret: string | undefined,
): LatchkeyError {
  const members = membersOf(text)
  const textOf = (member: unknown) => (typeof member === 'string' ? clean(member, secret) : '')
  const code = textOf(members['code'])
  const message = textOf(members['detail']) || `The hub answers ${status}.`
  const requestId = textOf(headers.get('x-request-id')) || undefined
  const errorCode = isCode(code) ? code : codeBy(status)
  return new LatchkeyError(errorCode, message, { ...facts, status, requestId })
}

/** Also a code of a hub that is newer than this client. */
function isCode(code: string): boolean {
  return /^[a-z_]{1,40}$/.test(code)
}

/** For what stands in front of a hub and knows nothing of its codes. */
function codeBy(status: number): RefusalCode {
  return byStatus[status] ?? (status >= 500 ? 'internal_error' : 'bad_request')
}

const byStatus: Readonly<Record<number, RefusalCode>> = {
  401: 'hub_token_invalid',
  403: 'permission_denied',
  404: 'not_found',
  429: 'rate_limited',
}

/** One line of bounded length; whatever a hub repeats of the token is cut out. */
function clean(text: string, secret: string | undefined): string {
  const withoutToken = secret === undefined ? text : text.replaceAll(secret, '[hub-token]')
  const line = withoutToken.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.slice(0, maxTextLength).toWellFormed()
}

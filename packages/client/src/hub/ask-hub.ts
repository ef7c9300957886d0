/** One request to a hub: bounded in time and size, never redirected. What goes wrong is a value. */

import type { RefusalCode, Secret } from '@latchkey/protocol'
import { causeOf, type ErrorFacts, LatchkeyError } from '../error/latchkey-error.ts'
import type { FetchInit, ResolvedClientOptions } from '../options/resolve-options.ts'
import type { AnswerHeaders } from '../patience/worth-a-retry.ts'

export interface HubQuestion extends Pick<FetchInit, 'method' | 'body'> {
  /** Begins with a slash. */
  readonly path: string
  readonly token: Secret<'hub-token'> | undefined
  readonly headers?: FetchInit['headers']
  readonly timeoutMs: number
  readonly maxBytes: number
}

export interface HubAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** Undefined for a body that goes on beyond the limit. */
  readonly text: string | undefined
}

/** No redirect, no cache and no cookie takes part. Spread, because the types of Node 20 do not know `cache`. */
const alone = { redirect: 'manual', cache: 'no-store', credentials: 'omit' } as const

export async function askHub(
  { hubUrl, fetch, clock }: Pick<ResolvedClientOptions, 'hubUrl' | 'fetch' | 'clock'>,
  { path, token, headers = [], timeoutMs, maxBytes, ...init }: HubQuestion,
  facts: ErrorFacts,
  ending: AbortSignal,
): Promise<HubAnswer | LatchkeyError> {
  const late = new AbortController()
  const callOff = clock.later(timeoutMs, () => late.abort(), { background: true })
  try {
    const response = await fetch(hubUrl + path, {
      ...init,
      headers: token ? [['authorization', `Bearer ${token.reveal()}`], ...headers] : headers,
      ...alone,
      signal: AbortSignal.any([ending, late.signal]),
    })
    const { status } = response
    const text = await boundedText(response, maxBytes)
    return { status, headers: response.headers, text }
  } catch (error) {
    ending.throwIfAborted()
    const reason = late.signal.aborted ? ' (no answer in time)' : causeOf(error, hubUrl)
    const message = `The hub ${hubUrl} cannot be reached${reason}.`
    return new LatchkeyError('hub_unreachable', message, facts)
  } finally {
    callOff()
  }
}

export function redirectError(hubUrl: string, facts: ErrorFacts): LatchkeyError {
  return new LatchkeyError('redirected', `${hubUrl} redirects: give the hub's own address.`, facts)
}

async function boundedText(
  response: Pick<Response, 'body'>,
  limit: number,
): Promise<string | undefined> {
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
      return undefined
    }
  }
}

const maxTextLength = 500

/** Also a code of a hub that is newer than this client. */
export function isCode(code: string): boolean {
  return /^[a-z_]{1,40}$/.test(code)
}

/** For what stands in front of a hub and knows nothing of its codes. */
export function codeBy(status: number): RefusalCode {
  return byStatus[status] ?? (status >= 500 ? 'internal_error' : 'bad_request')
}

const byStatus: Readonly<Record<number, RefusalCode>> = {
  401: 'hub_token_invalid',
  403: 'permission_denied',
  404: 'not_found',
  429: 'rate_limited',
}

/** One line of bounded length; whatever a hub repeats of the token is cut out. */
export function clean(text: string, secret: string | undefined, maxLength = maxTextLength): string {
  const withoutToken = secret === undefined ? text : text.replaceAll(secret, '[hub-token]')
  const line = withoutToken.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.slice(0, maxLength).toWellFormed()
}

/** A hub's "no" as the client's error: its own code and sentence, and no secret that it may repeat. */

import type { RefusalCode } from '@latchkey/protocol'
import { type ErrorFacts, LatchkeyError } from '../error/latchkey-error.ts'
import type { AnswerHeaders } from '../patience/worth-a-retry.ts'
import { membersOf } from './members-of.ts'

const longestText = 500

export interface HubAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly text: string
}

export function readRefusal(
  { status, headers, text }: HubAnswer,
  facts: ErrorFacts,
  secret: string | undefined,
): LatchkeyError {
  const said = membersOf(text)
  const told = (given: unknown) => (typeof given === 'string' ? clean(given, secret) : '')
  const code = told(said['code'])
  const message = told(said['detail']) || `The hub answers ${status}.`
  const requestId = told(headers.get('x-request-id')) || undefined
  const known = isCode(code) ? code : codeBy(status)
  return new LatchkeyError(known, message, { ...facts, status, requestId })
}

function isCode(code: string): code is RefusalCode {
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
  const told = secret === undefined ? text : text.replaceAll(secret, '[hub-token]')
  const line = told.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.slice(0, longestText).toWellFormed()
}

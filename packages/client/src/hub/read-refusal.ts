/** A hub's "no" as the client's error: its own code and sentence, and no secret that it may repeat. */

import { type RefusalCode, statusOf } from '@latchkey/protocol'
import { type ErrorFacts, LatchkeyError } from '../error/latchkey-error.ts'

const longestText = 500

export interface HubAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export function readRefusal(
  { status, headers, text }: HubAnswer,
  facts: ErrorFacts,
  secret: string | undefined,
): LatchkeyError {
  const { code, detail, error, requestId } = membersOf(text)
  const said = [detail, error, headers.get('x-error-message')].find(
    (one) => typeof one === 'string',
  )
  const message = said === undefined ? `The hub answers ${status}.` : clean(said, secret)
  const id = typeof requestId === 'string' ? requestId : headers.get('x-request-id')
  return new LatchkeyError(isKnown(code) ? code : codeBy(status, headers), message, {
    ...facts,
    status,
    requestId: id === null ? undefined : clean(id, secret),
  })
}

function membersOf(
  text: string,
): Readonly<Record<'code' | 'detail' | 'error' | 'requestId', unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return Object({})
  }
}

function isKnown(code: unknown): code is RefusalCode {
  return typeof code === 'string' && Object.hasOwn(statusOf, code)
}

/** For hubs that name their refusals only in the headers of Hugging Face's, or not at all. */
function codeBy(status: number, headers: Headers): RefusalCode {
  const named = headers.get('x-error-code')
  if (named === 'RepoNotFound') return 'repository_not_found'
  if (named === 'RevisionNotFound') return 'revision_not_found'
  return byStatus.get(status) ?? (status >= 500 ? 'internal_error' : 'bad_request')
}

const byStatus: ReadonlyMap<number, RefusalCode> = new Map([
  [401, 'hub_token_invalid'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [429, 'rate_limited'],
])

/** One line of bounded length; whatever a hub repeats of the token is cut out. */
function clean(text: string, secret: string | undefined): string {
  const told = secret === undefined ? text : text.replaceAll(secret, '[hub-token]')
  return told.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, longestText)
}

/** A storage's "no" as the client's error: its own code and sentence, and nothing else of the answer. */

import { LatchkeyError } from '@latchkey/client'
import { readAtMost } from './read-at-most.ts'

type Code = LatchkeyError['code']

const longestText = 500
const longestProblem = 64 * 1024

/** For answers of a proxy in front of the storage, which have no code of ours. */
const byStatus: Readonly<Record<number, Code>> = {
  401: 'storage_token_invalid',
  403: 'permission_denied',
  404: 'not_found',
  429: 'rate_limited',
}

export async function refusalOf(
  response: Response,
  facts: { readonly method: string; readonly path: string },
): Promise<LatchkeyError> {
  const { status, headers } = response
  const problem = await readAtMost(response, longestProblem).catch(() => undefined)
  const said = membersOf(new TextDecoder().decode(problem))
  const [code, detail] = [told(said['code']), told(said['detail'])]
  const known = /^[a-z_]{1,40}$/.test(code) ? (code as Code) : codeBy(status)
  const requestId = told(headers.get('x-request-id')) || undefined
  const message = detail || `The storage answers ${status}.`
  return new LatchkeyError(known, message, { ...facts, status, requestId })
}

function codeBy(status: number): Code {
  return byStatus[status] ?? (status >= 500 ? 'internal_error' : 'bad_request')
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}

/** One line of bounded length. */
function told(given: unknown): string {
  const text = typeof given === 'string' ? given : ''
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longestText)
}

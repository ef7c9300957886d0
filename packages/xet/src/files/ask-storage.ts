/** One question to the storage, with its whole answer: asked again where the answer breaks off. */

import { LatchkeyError, type StorageClient, type StorageRequestInit } from '@latchkey/client'
import { pause } from './pause.ts'
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

/** A storage's "no" as the client's error: its own code and sentence, and nothing else of the answer. */
async function refusalOf(
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

/** Longer than any list of chunks. */
const longestAnswer = 64 * 1024 * 1024
/** For answers that break off after their headers; the client itself repeats requests until the headers come. */
const mostTries = 5

export interface Question extends StorageRequestInit {
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly signal: AbortSignal
}

export interface WholeAnswer {
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The storage's "no" is a value; where no whole answer comes, it throws. */
export async function askStorage(
  client: StorageClient,
  path: string,
  question: Question,
): Promise<WholeAnswer | LatchkeyError> {
  const { method = 'GET', signal } = question
  for (let tries = 1; ; tries += 1) {
    const response = await client.fetch(path, question)
    const { ok, status, headers } = response
    if (!ok) return refusalOf(response, { method, path })
    const bytes = await readAtMost(response, longestAnswer).catch(() => 'broken' as const)
    if (bytes instanceof Uint8Array) return { headers, bytes }
    signal.throwIfAborted()
    const facts = { method, path, status }
    if (bytes === undefined) {
      throw new LatchkeyError(
        'answer_invalid',
        'The answer of the storage is longer than 64 MiB, which no right one is: check casUrl of the hub.',
        facts,
      )
    }
    if (tries === mostTries) {
      throw new LatchkeyError(
        'storage_unreachable',
        'Every answer of the storage broke off. Check the network, and try again later.',
        facts,
      )
    }
    await pause(tries, signal)
  }
}

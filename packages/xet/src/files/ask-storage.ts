/** One question to the storage, with its whole answer: asked again where the answer breaks off. */

import { LatchkeyError, type StorageClient } from '@latchkey/client'
import { backoffMs } from '../download/backoff.ts'
import { joinBytes } from '../format/bytes.ts'
import { type AskStorage, jsonIn } from '../storage/storage-calls.ts'

type Code = LatchkeyError['code']

const maxTextLength = 500
const maxProblemBytes = 64 * 1024

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
  const problem = await readAtMost(response, maxProblemBytes).catch(() => undefined)
  const members: Readonly<Record<string, unknown>> = Object(jsonIn(problem))
  const [code, detail] = [textOf(members['code']), textOf(members['detail'])]
  const errorCode = /^[a-z_]{1,40}$/.test(code) ? (code as Code) : codeBy(status)
  const requestId = textOf(headers.get('x-request-id')) || undefined
  const message = detail || `The storage answers ${status}.`
  return new LatchkeyError(errorCode, message, { ...facts, status, requestId })
}

function codeBy(status: number): Code {
  return byStatus[status] ?? (status >= 500 ? 'internal_error' : 'bad_request')
}

/** One line of bounded length. */
function textOf(member: unknown): string {
  const text = typeof member === 'string' ? member : ''
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, maxTextLength)
}

/** Longer than any list of chunks. */
const maxResponseBytes = 64 * 1024 * 1024
/** For answers that break off after their headers; the client itself repeats requests until the headers come. */
const maxTries = 5

/** Where no whole answer comes, it throws. */
export function storageAsker(client: StorageClient, signal: AbortSignal): AskStorage {
  return async (path, { parts, mayBeMissing = false, ...question }) => {
    const { method = 'GET' } = question
    const request = { ...question, signal, ...(parts && bodyOf(parts)) }
    for (let tries = 1; ; tries += 1) {
      const response = await client.fetch(path, request)
      const { ok, status, headers } = response
      if (!ok) {
        const refusal = await refusalOf(response, { method, path })
        if (mayBeMissing && status === 404) return undefined
        throw refusal
      }
      const bytes = await readAtMost(response, maxResponseBytes).catch(() => 'broken' as const)
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
      if (tries === maxTries) {
        throw new LatchkeyError(
          'storage_unreachable',
          'Every response of the storage was interrupted. Check the network, and try again later.',
          facts,
        )
      }
      await pause(tries, signal)
    }
  }
}

/** A copy in one piece: no browser streams a request, and it can be sent again. */
function bodyOf(parts: readonly Uint8Array[]) {
  const type = 'application/octet-stream'
  return { body: new Blob(parts as Uint8Array<ArrayBuffer>[], { type }) }
}

/** The body of an answer: undefined where it is longer; fails where it breaks off. */
async function readAtMost(
  { body }: Pick<Response, 'body'>,
  max: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // Not every browser iterates over a stream.
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let bytes = 0
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    bytes += read.value.length
    parts.push(read.value)
    if (bytes <= max) continue
    reader?.cancel().catch(() => {})
    return undefined
  }
  return joinBytes(parts)
}

/** Waits before something is tried once more: longer after each failure. */
export function pause(tries: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave)
      resolve()
    }, backoffMs(tries))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}

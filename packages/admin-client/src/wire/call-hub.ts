/** One operation: asked, repeated where that is safe, and its response read. */

import {
  askHub,
  clean,
  type credentialOf,
  type HubAnswer,
  isCode,
  isTransient,
  LatchkeyError,
  readRetryAfter,
  redirectError,
  retry,
} from '@latchkey/client/parts'
import type { OperationRow } from '../operations/rows.ts'
import type { OperationOptions } from '../operations/types.ts'
import { addressOf } from './address-of.ts'
import { readObject } from './read-object.ts'
import { textWithSecrets, withSecrets } from './secrets.ts'

export type OperationInput = Readonly<Record<string, unknown>>

type AskOptions = Parameters<typeof askHub>[0]

export interface Calling extends AskOptions {
  readonly credential: ReturnType<typeof credentialOf>
  readonly random: () => number
  readonly retryTimeoutSeconds: number
}

const maxBytes = 32 * 1024 * 1024
const timeoutMs = 60_000

export async function callHub(
  calling: Calling,
  row: OperationRow,
  input: OperationInput,
  { signal = new AbortController().signal }: OperationOptions = {},
): Promise<unknown> {
  signal.throwIfAborted()
  const { path, rest } = addressOf(row, input)
  const body = row.hasBody ? textWithSecrets(rest) : undefined
  const request = {
    path: row.hasBody ? path : path + queryOf(rest),
    body,
    timeoutMs: timeFor(rest),
  }
  const outcome = await retry(
    {
      attempt: () => attempt(calling, row, request, signal),
      againAfter: (outcome) => againAfter(outcome, isRepeatable(row, input)),
    },
    { ...calling, signal },
  )
  if (outcome instanceof LatchkeyError) throw outcome
  return withSecrets(outcome, row.shown)
}

/** A hub holds its response to `changes` back for as long as the caller allows. */
function timeFor({ wait }: OperationInput): number {
  return timeoutMs + (Number(wait) || 0) * 1000
}

function queryOf(members: OperationInput): string {
  const query = new URLSearchParams()
  for (const [member, value] of Object.entries(members)) {
    for (const one of [value].flat()) query.append(member, String(one))
  }
  return query.size === 0 ? '' : `?${query}`
}

/** A second DELETE would be a 404, and a second comparison with the state before a conflict. */
function isRepeatable({ method }: OperationRow, input: OperationInput): boolean {
  return method === 'GET' || (method === 'PUT' && input['expect'] === undefined)
}

/** A hub that counts requests denies one before it acts. */
function againAfter(outcome: unknown, isRepeatable: boolean): number | undefined {
  if (!(outcome instanceof LatchkeyError)) return undefined
  const { code, status, retryAfterSeconds = 0 } = outcome
  const isTemporary = code === 'hub_unreachable' || isTransient(status)
  return status === 429 || (isRepeatable && isTemporary) ? retryAfterSeconds : undefined
}

interface Request {
  readonly path: string
  readonly body: string | undefined
  readonly timeoutMs: number
}

const json: [string, string] = ['content-type', 'application/json']

async function attempt(
  calling: Calling,
  row: OperationRow,
  { body, ...request }: Request,
  signal: AbortSignal,
): Promise<object | LatchkeyError> {
  const { credential, hubUrl } = calling
  const tokenInUse = await credential.get()
  // Not the path itself: names in it may be in no log.
  const facts = { method: row.method, path: row.path }
  const headers: [string, string][] = [['accept', 'application/json'], ...(body ? [json] : [])]
  const { token } = tokenInUse
  const question = { ...request, method: row.method, headers, token, maxBytes }
  const answer = await askHub(calling, body ? { ...question, body } : question, facts, signal)
  if (answer instanceof LatchkeyError) return answer
  if (answer.status === 401) credential.reject(tokenInUse)
  if (answer.status === 401 && !tokenInUse.isNew) {
    return attempt(calling, row, { body, ...request }, signal)
  }
  return readAnswer(answer, {
    hubUrl,
    facts,
    secret: token?.reveal(),
    nowMs: calling.clock.wallMs(),
  })
}

interface Expectation {
  readonly hubUrl: string
  readonly facts: { readonly method: string; readonly path: string }
  readonly secret: string | undefined
  readonly nowMs: number
}

const maxDetailLength = 4096

function readAnswer(
  { status, headers, text }: HubAnswer,
  { hubUrl, facts, secret, nowMs }: Expectation,
): object | LatchkeyError {
  const invalid = (reason: string) =>
    new LatchkeyError('answer_invalid', `${hubUrl} ${reason}.`, {
      ...{ ...facts, status, retryAfterSeconds: readRetryAfter(headers, nowMs) },
    })
  // A browser shows of a redirect not even its status.
  if (status < 200 || (status > 299 && status < 400)) return redirectError(hubUrl, facts)
  if (text === undefined) return invalid('sends a response of more than 32 MiB')
  const members = readObject(text, secret)
  if (status < 300) return members ?? invalid('does not respond like a hub')
  const { code, detail, missing, path, next, requestId } = members ?? {}
  if (typeof code !== 'string' || !isCode(code) || typeof detail !== 'string') {
    return invalid(`does not respond like a hub (status ${status})`)
  }
  const line = (value: unknown) =>
    typeof value === 'string' ? clean(value, secret, maxDetailLength) : undefined
  const words = Array.isArray(next) ? next.map(line).filter((word) => word !== undefined) : []
  return new LatchkeyError(code, clean(detail, secret, maxDetailLength), {
    ...{ ...facts, status, retryAfterSeconds: readRetryAfter(headers, nowMs) },
    ...{ requestId: line(requestId), missing: line(missing), inputPath: line(path) },
    next: words.length === 0 ? undefined : words,
  })
}

/** A storage request on its way: with a token, again where that helps, and never with half a body. */

import type { ClientClock } from '../clock/client-clock.ts'
import { causeOf, LatchkeyError } from '../error/latchkey-error.ts'
import type { StorageToken } from '../hub/read-token-answer.ts'
import type { TokenSource } from '../hub/token-source.ts'
import { type Patience, retry, type TryAgain } from '../patience/retry.ts'
import { untilAborted } from '../patience/until-aborted.ts'
import { isPassing, readRetryAfter } from '../patience/worth-a-retry.ts'
import { countBytes } from './count-bytes.ts'
import type { StorageRequest } from './storage-request.ts'
import { storageUrl } from './storage-url.ts'

export interface Way {
  readonly tokens: TokenSource
  readonly fetch: typeof globalThis.fetch
  /** Its signal ends the request, whoever gave it. */
  readonly patience: Patience
}

type Outcome = Response | LatchkeyError

export async function sendToStorage(request: StorageRequest, way: Way): Promise<Response> {
  const { signal, clock } = way.patience
  let isRenewed = false

  const attempt = async (): Promise<Outcome> => {
    const token = await untilAborted(way.tokens.get(), signal)
    const outcome = await send(request, token, way)
    if (isRenewed || !isUnauthorized(outcome)) return outcome
    isRenewed = true
    way.tokens.drop(token)
    letGo(outcome)
    if (!request.body.isRepeatable) throw notRepeatable(request)
    return attempt()
  }
  const isWorthAnother = (outcome: Outcome) =>
    request.body.isRepeatable ? againAfter(outcome, clock) : undefined
  const outcome = await retry({ attempt, isWorthAnother, letGo }, way.patience)
  if (outcome instanceof LatchkeyError) throw outcome
  return watched(outcome, request)
}

async function send(request: StorageRequest, token: StorageToken, way: Way): Promise<Outcome> {
  const { method, path, rest } = request
  const facts = { method, path: path.path }
  const { signal = null } = way.patience
  const url = storageUrl(token.casUrl, path)
  const body = await request.body.make()
  const headers = new Headers(request.headers)
  for (const [name, value] of body.headers) if (!headers.has(name)) headers.set(name, value)
  headers.set('authorization', `Bearer ${token.accessToken.reveal()}`)
  try {
    const init = { ...rest, ...body.init, method, headers, signal, redirect: 'manual' } as const
    const response = await way.fetch(url, init)
    body.arrived()
    if (response.type !== 'opaqueredirect') return response
    return new LatchkeyError('redirected', 'The storage answers with a redirect.', facts)
  } catch (error) {
    signal?.throwIfAborted()
    const own = body.failure()
    if (own !== undefined) throw own.reason
    const { origin } = new URL(url)
    const message = `The storage at ${origin} cannot be reached${causeOf(error)}.`
    return new LatchkeyError('storage_unreachable', message, facts)
  }
}

function isUnauthorized(outcome: Outcome): boolean {
  return !(outcome instanceof LatchkeyError) && outcome.status === 401
}

function againAfter(outcome: Outcome, clock: ClientClock): TryAgain | undefined {
  if (outcome instanceof LatchkeyError) {
    return outcome.code === 'storage_unreachable' ? { afterSeconds: undefined } : undefined
  }
  if (!isPassing(outcome.status)) return undefined
  return { afterSeconds: readRetryAfter(outcome.headers, clock.wallMs()) }
}

/** An answer that nobody reads would hold its connection. */
function letGo(outcome: Outcome): void {
  if (!(outcome instanceof LatchkeyError)) outcome.body?.cancel().catch(() => {})
}

function notRepeatable({ method, path }: StorageRequest): LatchkeyError {
  return new LatchkeyError(
    'body_not_repeatable',
    'The storage did not take the token after the body had begun, and a stream cannot be sent again. Give a function that makes the body, or a Blob.',
    { method, path: path.path, status: 401 },
  )
}

function watched(response: Response, { onDownloadProgress }: StorageRequest): Response {
  const { body, headers } = response
  if (onDownloadProgress === undefined || body === null) return response
  const length = headers.get('content-length')
  // The length of what is compressed says nothing about what comes out.
  const total = length === null || headers.has('content-encoding') ? undefined : Number(length)
  return new Response(countBytes(body, total, onDownloadProgress).stream, response)
}

/** A storage request on its way: with a token, again where that helps, and never with half a body. */

import type { ClientClock } from '../clock/client-clock.ts'
import { causeOf, LatchkeyError } from '../error/latchkey-error.ts'
import type { StorageToken } from '../hub/read-token-answer.ts'
import type { TokenSource } from '../hub/token-source.ts'
import type { Fetch, FetchAnswer } from '../options/resolve-options.ts'
import { type Patience, retry } from '../patience/retry.ts'
import { untilAborted } from '../patience/until-aborted.ts'
import { isTransient, readRetryAfter } from '../patience/worth-a-retry.ts'
import type { BodyOnTheWay, PreparedBody } from './request-body.ts'
import { type StorageRequest, storageUrl } from './storage-request.ts'

interface Way<Answer> {
  readonly tokens: TokenSource
  readonly fetch: Fetch<Answer>
  /** Its signal ends the request, whoever gave it. */
  readonly patience: Patience
}

interface Prepared extends StorageRequest {
  readonly body: PreparedBody
}

export async function sendToStorage<Answer extends FetchAnswer>(
  request: StorageRequest,
  way: Way<Answer>,
): Promise<Answer> {
  const body = request.prepareBody()
  try {
    return await tryToSend({ ...request, body }, way)
  } catch (error) {
    // Not every fetch lets go of a body that it no longer sends.
    body.stop(error)
    throw error
  }
}

async function tryToSend<Answer extends FetchAnswer>(
  request: Prepared,
  way: Way<Answer>,
): Promise<Answer> {
  const { signal, clock } = way.patience
  let isRenewed = false

  /** An answer that nobody reads would hold its connection, and its request the body. */
  const letGo = (outcome: Answer | LatchkeyError): void => {
    request.body.stop()
    if (!(outcome instanceof LatchkeyError)) outcome.body?.cancel().catch(() => {})
  }
  const attempt = async (): Promise<Answer | LatchkeyError> => {
    const token = await untilAborted(way.tokens.get(), signal)
    const outcome = await send(request, token, way)
    if (isRenewed || outcome.status !== 401) return outcome
    isRenewed = true
    way.tokens.drop(token)
    letGo(outcome)
    if (!request.body.isRepeatable) throw notRepeatable(request, 401)
    return attempt()
  }
  const againAfter = (outcome: Answer | LatchkeyError) =>
    request.body.isRepeatable ? secondsAfter(outcome, clock) : undefined
  const outcome = await retry({ attempt, againAfter, letGo }, way.patience)
  if (outcome instanceof LatchkeyError) throw outcome
  return outcome
}

async function send<Answer extends FetchAnswer>(
  request: Prepared,
  token: StorageToken,
  way: Way<Answer>,
): Promise<Answer | LatchkeyError> {
  const { facts, path, rest } = request
  const { signal = null } = way.patience
  const url = storageUrl(token.casUrl, path)
  // No more of casUrl is told: it may be long, and its path may hold anything.
  const { origin } = new URL(url)
  const body = await untilAborted(request.body.make(), way.patience.signal)
  if (body === undefined) throw notRepeatable(request)
  const headers = headersFor(request, body, token)
  try {
    const response = await way.fetch(url, {
      ...{ ...rest, ...body.init, headers, signal },
      method: facts.method,
      redirect: 'manual',
    })
    body.arrived?.()
    // A browser shows of a redirect not even its status.
    if (response.status !== 0) return response
    return new LatchkeyError('redirected', `${origin} redirects.`, facts)
  } catch (error) {
    signal?.throwIfAborted()
    const own = body.failure?.()
    if (own !== undefined) throw own.reason
    const message = `The storage ${origin} cannot be reached${causeOf(error, origin)}.`
    return new LatchkeyError('storage_unreachable', message, facts)
  }
}

/** The token stands alone, whatever else is given. */
function headersFor(
  { headers }: Prepared,
  body: BodyOnTheWay,
  { accessToken }: StorageToken,
): [string, string][] {
  const all = new Map([...(body.headers ?? []), ...headers])
  return [...all.set('authorization', `Bearer ${accessToken.reveal()}`)]
}

function secondsAfter(
  outcome: FetchAnswer | LatchkeyError,
  clock: ClientClock,
): number | undefined {
  if (outcome instanceof LatchkeyError) {
    return outcome.code === 'storage_unreachable' ? 0 : undefined
  }
  return isTransient(outcome.status) ? readRetryAfter(outcome.headers, clock.wallMs()) : undefined
}

function notRepeatable({ facts }: StorageRequest, status?: number): LatchkeyError {
  return new LatchkeyError(
    'body_not_repeatable',
    'A stream cannot be sent again: give a Blob, or a function that makes the body.',
    { ...facts, status },
  )
}

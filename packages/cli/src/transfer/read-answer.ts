/** The storage's answer: its data where it is a yes, one line where it is a no. */

import { readAtMost } from '@latchkey/service/http/bodies'
import { refused, type Stop, unavailable } from '../output/stop.ts'
import { traced } from '../output/traced.ts'
import { jsonIn, membersOf, textOf } from '../reading/members-of.ts'

/** A connection that breaks is told, so that nobody takes a part for the whole. */
export async function* dataOf({ body }: Pick<Response, 'body'>): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? []
  } catch {
    throw unavailable('the storage stopped in the middle of its response')
  }
}

/** Longer than any list of chunks. */
const maxResponseBytes = 64 * 1024 * 1024

export async function wholeOf(answer: Pick<Response, 'body'>): Promise<Buffer> {
  const whole = await readAtMost(dataOf(answer), maxResponseBytes)
  if (whole !== undefined) return whole
  throw unavailable('the storage sent more than 64 MiB where few bytes were expected')
}

interface Request {
  readonly method?: string | undefined
  readonly path: string
}

/** Its reason is not waited for any longer than somebody at a terminal would. */
export async function refusalOf(
  response: Pick<Response, 'status' | 'statusText' | 'body'>,
  { method = 'GET', path }: Request,
  signal = AbortSignal.timeout(patienceMs),
): Promise<Stop> {
  const { status, statusText } = response
  const problem = membersOf(jsonIn(await beginningOf(response, signal)))
  const [detail, requestId] = [textOf(problem['detail']), textOf(problem['requestId'])]
  // Without the query, which may hold anything.
  const request = `${method} ${path.replace(/[?#].*/s, '')}`
  const stop = status === 429 || status >= 500 ? unavailable : refused
  if (detail === undefined) {
    const answer = `${status} ${statusText}`.trim()
    return stop(traced(`the storage responded with ${answer} to ${request}`, requestId))
  }
  const reason = detail.slice(0, maxDetailLength)
  return stop(traced(`the storage responded with ${status} to ${request}: ${reason}`, requestId))
}

const patienceMs = 5000
const maxDetailLength = 500
const maxProblemBytes = 64 * 1024

/** A longer, interrupted or slow body is no sentence for a person. */
async function beginningOf({ body }: Pick<Response, 'body'>, signal: AbortSignal): Promise<string> {
  const bounded = body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal })
  const beginning = await readAtMost(bounded ?? [], maxProblemBytes).catch(() => undefined)
  return beginning?.toString('utf8') ?? ''
}

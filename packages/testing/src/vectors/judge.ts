/** Compares what came of requests with what the vectors owe them. */

import type { Seen, Sent, Vector } from './read-vectors.ts'

/** What a client got. */
export interface Outcome {
  readonly status: number
  /** The values of a header, by its name in lower case. */
  header(name: string): string | undefined
  readonly body: string
  /** All that came, headers included. */
  readonly everything: string
  /** What the handler heard; undefined when it did not answer. */
  readonly seen: (Seen & { readonly gets?: string | undefined }) | undefined
}

export type Send = (request: Sent) => Promise<Outcome>

export interface Judging {
  /** How often the handler behind the gate was called so far. */
  readonly handled: () => number
  /** The status by which this way tells a refusal, where it cannot use the usual one. */
  readonly statusFor?: (status: number) => number
}

/** A gate asks its hub twice about an unknown key, with a second between: many tokens have one. */
const atOnce = 64

/** Sends them all; gives a sentence for each that did not end as it should. */
export async function complaints(
  all: readonly Vector[],
  send: Send,
  { handled, statusFor = (status) => status }: Judging,
): Promise<string[]> {
  const found: string[] = []
  const before = handled()
  const waiting = all.values()
  const work = async () => {
    for (const vector of waiting) {
      const outcome = await send(vector)
      const faults =
        vector.code === null
          ? faultsOfPassing(vector, outcome)
          : faultsOfRefusal(vector, outcome, statusFor(vector.status))
      if (repeatsToken(vector, outcome)) faults.push('the answer repeats a token')
      found.push(...faults.map((fault) => `${vector.name}: ${fault}`))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const owed = all.filter(({ code }) => code === null).length
  const called = handled() - before
  if (called !== owed) found.push(`the handler was called ${called} times, not ${owed}`)
  return found
}

function faultsOfPassing({ grant, gets }: Vector, { status, seen }: Outcome): string[] {
  if (status !== 200 || seen === undefined) return [`${status} instead of being handled`]
  const owed = { ...grant, ...(seen.gets === undefined ? {} : { gets }) }
  const [heard, expected] = [seen, owed].map(
    (record): Readonly<Record<string, unknown>> => ({ ...record }),
  )
  return [...new Set([...Object.keys(owed), ...Object.keys(seen)])]
    .filter((name) => heard?.[name] !== expected?.[name])
    .map((name) => `the handler heard ${heard?.[name]} for ${name}, not ${expected?.[name]}`)
}

function faultsOfRefusal(vector: Vector, outcome: Outcome, status: number): string[] {
  const { header, body, seen } = outcome
  const requestId = header('x-request-id') ?? ''
  const problem = vector.method === 'HEAD' ? undefined : JSON.parse(body || '{}')
  return [
    outcome.status === status || `${outcome.status} instead of ${status}`,
    seen === undefined || 'the handler answered',
    problem === undefined || problem.code === vector.code || `${problem.code} for ${vector.code}`,
    problem === undefined || problem.requestId === requestId || 'two request ids',
    header('content-type') === 'application/problem+json' || 'no problem document',
    header('cache-control') === 'no-store' || 'may be kept by a cache',
    /^[a-z2-7]{26}$/.test(requestId) || 'no request id',
    challenges(vector, header('www-authenticate')) || 'not the challenge it should be',
  ].filter((fault) => typeof fault === 'string')
}

/** Storage tokens and hub tokens, wherever the request has them. */
const tokens = /eyJ[\w-]{8,}\.[\w.-]+|lk_\w{49}/g

function repeatsToken({ target, headers }: Vector, { everything }: Outcome): boolean {
  const sent = [target, ...headers.flat()].flatMap((text) => text.match(tokens) ?? [])
  return sent.some((token) => everything.includes(token))
}

/** RFC 6750 §3.1 */
const errorOf: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_token',
  403: 'insufficient_scope',
}

function challenges({ status, code }: Vector, given: string | undefined): boolean {
  if (code === 'storage_token_missing') return given === 'Bearer realm="latchkey"'
  const error = errorOf[status]
  if (error === undefined) return given === undefined
  return given?.startsWith(`Bearer realm="latchkey", error="${error}", error_desc`) === true
}

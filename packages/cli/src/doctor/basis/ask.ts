/** One question to a service over HTTP, which is answered in time or not at all. */

import { ask as askOnce, reasonOf } from '@latchkey/service/http/ask'
import { isObject, jsonIn } from '../../reading/members-of.ts'

export interface Asked {
  readonly status: number
  /** Undefined where the answer is no JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined
  /** By the clock of the service, in milliseconds since 1970; whole seconds. */
  readonly dateMs: number | undefined
}

export interface NotAnswered {
  /** `ECONNREFUSED`, or that it took too long. */
  readonly reason: string
  /** Nothing listens there. */
  readonly isAway: boolean
}

const patienceMs = 5000

/** Many times the longest document of a hub; what answers with more is none. */
const longestAnswer = 4 * 1024 * 1024

export async function ask(url: string): Promise<Asked | NotAnswered> {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const response = await askOnce(url, { signal })
    const body = await response.read(longestAnswer)
    const date = Date.parse(response.header('date') ?? '')
    return {
      status: response.status,
      json: objectIn(body?.toString('utf8') ?? ''),
      dateMs: Number.isNaN(date) ? undefined : date,
    }
  } catch (error) {
    const reason = reasonOf(error, `no answer within ${patienceMs / 1000} s`)
    return { reason, isAway: reason === 'ECONNREFUSED' }
  }
}

function objectIn(text: string): Asked['json'] {
  const json = jsonIn(text)
  return isObject(json) ? json : undefined
}

/** One request, and all that can be said of it afterwards. */

import { Agent, fetch } from 'undici'

export interface Answer {
  /** Unix milliseconds, before the first byte was sent. */
  readonly sentAt: number
  /** When the whole answer was there, or the request had failed. */
  readonly answeredAt: number
  /** 0 if there was no answer. */
  readonly status: number
  /** Why there was none, such as ECONNREFUSED. */
  readonly failure?: string
  readonly requestId?: string
  readonly hasRetryAfter: boolean
  /** Empty if it is not JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Idle connections are closed here before a worker that drains closes them: then a request could cross its end. */
const agent = new Agent({ keepAliveTimeout: 2000, keepAliveMaxTimeout: 2000 })

/** Far beyond every deadline: a request that takes so long is counted as one without an answer. */
const patienceMs = 90_000

export interface Asking {
  readonly token: string
  readonly method?: string
  readonly input?: object
}

export async function ask(url: string, { token, method = 'GET', input }: Asking): Promise<Answer> {
  const sentAt = Date.now()
  const headers = { authorization: `Bearer ${token}` }
  const sent =
    input === undefined
      ? { headers }
      : {
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(input),
        }
  try {
    const response = await fetch(url, {
      ...{ method, ...sent, dispatcher: agent },
      signal: AbortSignal.timeout(patienceMs),
    })
    const text = await response.text()
    const requestId = response.headers.get('x-request-id')
    return {
      ...{ sentAt, answeredAt: Date.now(), status: response.status },
      ...(requestId !== null && { requestId }),
      hasRetryAfter: response.headers.has('retry-after'),
      body: readBody(text),
    }
  } catch (error) {
    const failure = reasonOf(error)
    return { sentAt, answeredAt: Date.now(), status: 0, failure, hasRetryAfter: false, body: {} }
  }
}

function readBody(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } }
  return cause?.code ?? name
}

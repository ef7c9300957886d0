/** The vectors through handlers of Requests: guardFetch alone, and the middleware of a Hono app. */

import { countingHandler, type Handler } from '@latchkey/testing/vectors/handler'
import { complaints, type Outcome } from '@latchkey/testing/vectors/judge'
import { outcomeOf } from '@latchkey/testing/vectors/outcome-of'
import {
  matrix,
  requestsThrough,
  type Sent,
  vectorGate,
} from '@latchkey/testing/vectors/read-vectors'
import { describe, expect, test } from 'vitest'
import { guardFetch } from '../../src/index.ts'
import { guardHono } from '../adapters/adapters.ts'

type Fetch = (request: Request) => Promise<Response>

function plain({ handle }: Handler): Fetch {
  return guardFetch(
    vectorGate(),
    (_request, admitted) => new Response(null, { headers: { seen: handle(admitted) } }),
  )
}

function hono({ handle }: Handler): Fetch {
  return guardHono(
    vectorGate(),
    (_request, admitted) => new Response(null, { headers: { seen: handle(admitted) } }),
  )
}

function sender(fetch: Fetch) {
  return async ({ method, target, headers, body }: Sent): Promise<Outcome> => {
    const request = new Request(`https://cas.example${target}`, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      ...(body === undefined ? {} : { body }),
    })
    return outcomeOf(await fetch(request))
  }
}

describe.each([
  ['fetch', plain],
  ['hono', hono],
] as const)('through %s', (way, guarded) => {
  const handler = countingHandler()
  const send = sender(guarded(handler))

  test('every combination of token, method, place and path ends as the vectors say', async () => {
    expect(await complaints(matrix, send, handler)).toEqual([])
  })

  test('every single request ends as the vectors say', async () => {
    expect(await complaints(requestsThrough(way), send, handler)).toEqual([])
  })
})

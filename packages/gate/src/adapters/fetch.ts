/** The gate for handlers that turn a Request into a Response: Hono, Bun, Deno, workers. */

import { type HeaderList, headerPairs } from '@latchkey/service/header-list'
import type { Admitted, Gate } from '../check/create-gate.ts'
import type { GateRequest } from '../request/gate-request.ts'
import { type ReceptionOptions, reception } from './reception.ts'
import { responseOf } from './response-of.ts'

export interface FetchGuardOptions extends ReceptionOptions {
  /** Where forged tokens are counted: the address of the client, as the runtime or a trusted proxy tells it. */
  readonly addressOf?: (request: Request) => string | undefined
}

/** A handler that is called for admitted requests only; `rest` is what the runtime passes beside the request. */
export type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  admitted: Admitted,
  ...rest: Rest
) => Response | Promise<Response>

export function guardFetch<Rest extends readonly unknown[] = []>(
  gate: Gate,
  handler: GuardedHandler<Rest>,
  options: FetchGuardOptions = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  const receive = reception(gate, options)
  return async function guarded(request, ...rest) {
    const received = await receive(gateRequestOf(request, options.addressOf?.(request)))
    if (!received.ok) return responseOf(received.answer)
    const response = await handler(request, received.admitted, ...rest)
    return received.headers.length === 0 ? response : withHeaders(response, received.headers)
  }
}

/** The URL of a Request has been normalised already; the router sees the same one. */
export function gateRequestOf(request: Request, address?: string): GateRequest {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    target: pathname + search,
    headers: [...request.headers].flat(),
    address,
  }
}

/** Responses of `fetch` cannot be changed; a copy can. */
function withHeaders(response: Response, headers: HeaderList): Response {
  const copy = new Response(response.body, response)
  for (const [name, value] of headerPairs(headers)) copy.headers.append(name, value)
  return copy
}

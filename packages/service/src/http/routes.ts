/** A table of routes: which handler serves a method at a path. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Call } from './call.ts'
import type { Html } from './page/html.ts'

export interface Route {
  /** GET serves HEAD too; ANY leaves the methods to the handler. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY'
  /** Compared with the raw path, nothing decoded. `/*` at its end stands for the path before it and all below. */
  readonly path: string
  readonly handle: Handle
  /** Sends the handler's refusals as plain JSON, whatever the client accepts. */
  readonly plainJson?: boolean
}

export type Handle = (call: Call) => Reply | Refusal | Promise<Reply | Refusal>

export interface Reply {
  /** 200 if not given. */
  readonly status?: number
  /** `application/json` if not given, and never that of a page: a page is `Html`. */
  readonly contentType?: ContentType
  /** `no-store` if not given. */
  readonly cacheControl?: string
  /** Header lines beside those that every answer has, names and values in turn. */
  readonly headers?: readonly string[]
  readonly body: string | Uint8Array | Html
}

export type ContentType = `application/${string}` | `text/plain${string}`

export type FindRoute = (method: string, path: string) => Route | Refusal | undefined

/** The function gives undefined for a path without a route, and 405 for a route without the method. */
export function routeFinder(routes: readonly Route[]): FindRoute {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  const below = [...byPath].filter(([path]) => path.endsWith('/*'))
  const routesAt = (path: string) =>
    byPath.get(path) ?? below.find(([pattern]) => `${path}/`.startsWith(pattern.slice(0, -1)))?.[1]
  return (method, path) => {
    const here = routesAt(path)
    const wanted = method === 'HEAD' ? 'GET' : method
    return (
      here?.find((route) => route.method === wanted || route.method === 'ANY') ??
      (here && notAllowed(method, here))
    )
  }
}

function notAllowed(method: string, routes: readonly Route[]): Refusal {
  const allow = routes.map((route) => (route.method === 'GET' ? 'GET, HEAD' : route.method))
  const list = allow.join(', ')
  return refuse('method_not_allowed', `${method} is not allowed here; allowed: ${list}.`, {
    allow: list,
  })
}

/** Which other origins may read the hub's answers in a browser. */

import type { IncomingMessage } from 'node:http'

export interface Cors {
  /** Header lines for an answer to this request, name and value in turn. */
  headersFor(request: IncomingMessage): readonly string[]
  /** The same for the answer to a preflight. */
  preflightHeadersFor(request: IncomingMessage): readonly string[]
}

const exposed = [
  'Date',
  'Retry-After',
  'RateLimit',
  'X-Request-Id',
  'X-Error-Code',
  'X-Error-Message',
]
const exposedWhenCompatible = ['X-Xet-Cas-Url', 'X-Xet-Access-Token', 'X-Xet-Token-Expiration']

export function createCors(origins: readonly string[], compatible: boolean): Cors {
  // Without listed origins not even the request's own is looked at.
  if (origins.length === 0) return { headersFor: () => [], preflightHeadersFor: () => [] }
  const any = origins.includes('*')
  const listed = new Set(origins)
  const expose = [...exposed, ...(compatible ? exposedWhenCompatible : [])].join(', ')
  const allowed = (request: IncomingMessage): string | undefined => {
    const origin = request.headers.origin
    if (origin === undefined) return undefined
    return any ? '*' : listed.has(origin) ? origin : undefined
  }
  const vary = !any ? ['Vary', 'Origin'] : []
  const headersFor = (request: IncomingMessage) => {
    const origin = allowed(request)
    if (origin === undefined) return vary
    return [...vary, 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', expose]
  }
  return {
    headersFor,
    preflightHeadersFor(request) {
      const origin = allowed(request)
      if (origin === undefined) return vary
      return [
        ...vary,
        ...['Access-Control-Allow-Origin', origin],
        ...['Access-Control-Allow-Methods', 'GET, HEAD'],
        ...['Access-Control-Allow-Headers', 'Authorization, X-Xet-Session-Id'],
        ...['Access-Control-Max-Age', '600'],
      ]
    },
  }
}

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

import type { IncomingMessage } from 'node:http'
import { linkPrefix } from '@latchkey/admin-api'
import { type CorsRules, createCors, isPreflight, pathOf } from '@latchkey/protocol'

export interface HubCors {
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

export function hubCors(origins: readonly string[], compatible: boolean): HubCors {
  return byOrigin({
    origins,
    methods: ['GET', 'HEAD'],
    requestHeaders: ['Authorization', 'X-Xet-Session-Id'],
    exposed: [...exposed, ...(compatible ? exposedWhenCompatible : [])],
  })
}

/** For the forge, which answers with content and takes it. */
export function contentCors(
  origins: readonly string[],
  exposedHeaders: readonly string[],
): HubCors {
  return byOrigin({
    origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    requestHeaders: ['Authorization', 'Content-Type', 'Range', 'X-Xet-Session-Id'],
    exposed: [...exposed, ...exposedHeaders],
  })
}

function byOrigin(corsRules: CorsRules): HubCors {
  const rules = createCors(corsRules)
  return {
    headersFor: ({ headers }) => rules.headersFor(headers.origin),
    preflightHeadersFor: ({ headers }) => rules.preflightHeadersFor(headers.origin),
  }
}

/** Keeps the link out of CORS: no browser has business there, whatever origins an operator allows. */
export function outsideCors({ headersFor, preflightHeadersFor }: HubCors): HubCors {
  return {
    headersFor: (request) => (isLink(request) ? [] : headersFor(request)),
    preflightHeadersFor: (request) => (isLink(request) ? [] : preflightHeadersFor(request)),
  }
}

function isLink({ url = '' }: IncomingMessage): boolean {
  return pathOf(url).startsWith(`${linkPrefix}/`)
}

export function asksBeforehand({ method, headers }: IncomingMessage): boolean {
  const requestMethod = headers['access-control-request-method']
  return isPreflight({ method, origin: headers.origin, requestMethod })
}

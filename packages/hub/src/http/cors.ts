import type { IncomingMessage } from 'node:http'
import { linkPrefix } from '@latchkey/admin-api'
import { createCors, isPreflight, pathOf } from '@latchkey/protocol'

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
  const rules = createCors({
    origins,
    methods: ['GET', 'HEAD'],
    requestHeaders: ['Authorization', 'X-Xet-Session-Id'],
    exposed: [...exposed, ...(compatible ? exposedWhenCompatible : [])],
  })
  return {
    headersFor: ({ headers }) => rules.headersFor(headers.origin),
    preflightHeadersFor: ({ headers }) => rules.preflightHeadersFor(headers.origin),
  }
}

/** What a forge answers with: files, lists and what to fetch them with. */
export function forgeCors(origins: readonly string[]): HubCors {
  const rules = createCors({
    origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    requestHeaders: ['Authorization', 'Content-Type', 'Range', 'X-Xet-Session-Id'],
    exposed: [
      ...exposed,
      ...['Link', 'ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition', 'X-Total-Count'],
      ...['X-Repo-Commit', 'X-Linked-Size', 'X-Linked-Etag', 'X-Xet-Hash', 'X-Xet-Refresh-Route'],
    ],
  })
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

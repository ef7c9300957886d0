/** The headers of a request as the storage gets them: the client's, without those that proxies set, and with the grant. */

import type { HeaderList } from '@latchkey/service/http/header-list'
import type { Grant } from '../grant/grant.ts'
import { identityHeaders } from '../grant/identity-headers.ts'
import { hopHeaders } from './hop-headers.ts'

export interface Sent {
  readonly grant: Grant
  readonly requestId: string
  readonly address: string
  /** The part of the client's path before the one that is handed on. */
  readonly prefix: string
}

/**
 * Headers by which proxies tell servers the host, scheme, path, address, certificate and user of a client. Servers believe
 * them, so the gateway sets them itself or leaves them out.
 */
const toldByProxies = [
  ...['host', 'authorization', 'x-request-id', 'forwarded', 'x-forwarded', 'x-forwarded-.*'],
  ...[
    '(?:x-)?(?:http-)?host(?:-override)?',
    'x-(?:original|rewrite|envoy|override|backend|arr)-.*',
  ],
  ...['x-(?:url-)?scheme', 'front-end-https', '(?:x-)?script-name', 'x-(?:accel|sendfile)-.*'],
  ...['x-real-ip', '(?:[a-z-]+-)?(?:client|connecting)-ip(?:v6)?', 'x-originating-ip'],
  ...['x-(?:azure|appengine|proxyuser)-.*', '(?:x-)?remote-.*', 'wl-proxy-.*'],
  ...[
    '(?:x-)?ssl-.*',
    'x-client-(?:cert|dn|verify).*',
    'x-(?:webauth|auth-request|authenticated)-.*',
  ],
  // A CGI program reads it as HTTP_PROXY and sends its own requests there.
  'proxy',
]
const ours = new RegExp(`^(?:${toldByProxies.join('|')})$`)

/** Some servers read every other character as `-`, so that such a name could pass for another header. */
const ambiguous = /[^a-z0-9-]/

export function upstreamHeaders(audience: string): (headers: HeaderList, sent: Sent) => string[] {
  const { host, protocol } = new URL(audience)
  const scheme = protocol.slice(0, -1)
  return (headers, { grant, requestId, address, prefix }) => {
    const dropped = hopHeaders(headers)
    const kept: string[] = []
    // No pairs are made: every request waits for this.
    for (let index = 0; index < headers.length; index += 2) {
      const name = (headers[index] ?? '').toLowerCase()
      if (dropped.has(name) || ours.test(name) || ambiguous.test(name)) continue
      kept.push(name, headers[index + 1] ?? '')
    }
    kept.push(...identityHeaders(grant))
    kept.push('X-Request-Id', requestId, 'X-Forwarded-For', address)
    kept.push('X-Forwarded-Proto', scheme, 'X-Forwarded-Host', host)
    if (prefix !== '') kept.push('X-Forwarded-Prefix', prefix)
    return kept
  }
}

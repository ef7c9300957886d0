/** The headers of a request and of its answer that a server hands on. */

import { type HeaderList, joinedValues } from '../headers.ts'

/**
 * Headers by which proxies tell servers the host, scheme, path, address, certificate and user of a client. Servers believe
 * them, so a server that forwards sets them itself or leaves them out.
 */
const toldByProxies = [
  ...['host', 'x-request-id', 'forwarded', 'x-forwarded', 'x-forwarded-.*'],
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

/** Some servers read every other character as `-`, so that such a name could pass for another header. */
const ambiguous = /[^a-z0-9-]/

/** A function that copies the client's headers, without those that `more` matches by their lower-case names. */
export function requestHeaders(more: readonly string[]): (headers: HeaderList) => string[] {
  const ours = new RegExp(`^(?:${[...toldByProxies, ...more].join('|')})$`)
  return (headers) => {
    const dropped = hopHeaders(headers)
    const outgoing: string[] = []
    // No pairs are made: every request waits for this.
    for (let index = 0; index < headers.length; index += 2) {
      const name = (headers[index] ?? '').toLowerCase()
      if (dropped.has(name) || ours.test(name) || ambiguous.test(name)) continue
      outgoing.push(name, headers[index + 1] ?? '')
    }
    return outgoing
  }
}

export interface ForwardedRequest {
  readonly requestId: string
  readonly address: string
  /** The part of the client's path before the one that is handed on. */
  readonly prefix?: string
}

/** The server's own headers about a request to `url`, its public address. */
export function forwardedHeaders(url: string): (forwarded: ForwardedRequest) => readonly string[] {
  const { host, protocol } = new URL(url)
  const fixed = ['X-Forwarded-Proto', protocol.slice(0, -1), 'X-Forwarded-Host', host]
  return ({ requestId, address, prefix = '' }) => [
    ...['X-Request-Id', requestId, 'X-Forwarded-For', address],
    ...fixed,
    ...(prefix === '' ? [] : ['X-Forwarded-Prefix', prefix]),
  ]
}

/** `own` are the server's; they replace the upstream's of the same name, or add to its list. */
export function clientHeaders(answered: HeaderList, own: HeaderList): string[] {
  const dropped = hopHeaders(answered)
  const replaced = namesIn(own)
  for (const name of lists) replaced.delete(name)
  const outgoing: string[] = []
  // Last, because Node refuses a Content-Disposition beyond ASCII once it knows the length.
  let length: HeaderList = []
  // No pairs are made, here and below: every answer waits for this.
  for (let index = 0; index < answered.length; index += 2) {
    const [name, value] = [answered[index] ?? '', answered[index + 1] ?? '']
    const lower = name.toLowerCase()
    if (dropped.has(lower) || replaced.has(lower) || !sendable.test(value)) continue
    if (lower === 'content-length') length = [name, value]
    else outgoing.push(name, value)
  }
  return [...outgoing, ...own, ...length]
}

/** Another line of these never takes back what one says. */
const lists = ['vary', 'content-security-policy']

function namesIn(headers: HeaderList): Set<string> {
  const names = new Set<string>()
  for (let index = 0; index < headers.length; index += 2) {
    names.add((headers[index] ?? '').toLowerCase())
  }
  return names
}

/** RFC 9110 §5.5: a value with a control in it cannot be sent on. */
const sendable = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** Bytes stay the bytes they are, whatever encoding the upstream had in mind. */
export function rawHeadersOf(raw: unknown): HeaderList {
  if (!Array.isArray(raw)) return []
  return raw.map((part: unknown) =>
    Buffer.isBuffer(part) ? part.toString('latin1') : String(part),
  )
}

/** RFC 9110 §7.6.1, and headers that older servers treat alike. */
const hopByHop = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings', 'expect'],
]

/** Lower-case names to leave out: the fixed ones and those that `Connection` names. */
function hopHeaders(headers: HeaderList): ReadonlySet<string> {
  const named = joinedValues(headers, 'connection')?.trim().toLowerCase() ?? ''
  if (['', 'close', 'keep-alive'].includes(named)) return fixed
  return new Set([...hopByHop, ...named.split(',').map((name) => name.trim())])
}

const fixed: ReadonlySet<string> = new Set(hopByHop)

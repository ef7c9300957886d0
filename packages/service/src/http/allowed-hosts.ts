/**
 * The host names that a listener answers to. A web page whose own name is made to resolve to this machine (DNS rebinding)
 * would otherwise reach services that its browser may not read across origins.
 */

import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { isLoopback } from '@latchkey/protocol'

export type AnswersTo = (
  request: Pick<IncomingMessage, 'headers' | 'url'> & {
    readonly socket: Pick<IncomingMessage['socket'], 'localAddress'>
  },
) => boolean

/** In a list of names: every name there is. */
export const anyHost = '*'

/**
 * Beside the given names: loopback ones, and the address on which a connection came in, since no DNS answer leads to a
 * page under an address. Ports are not compared, because a proxy may change them.
 */
export function allowedHosts(names: readonly string[]): AnswersTo {
  if (names.includes(anyHost)) return () => true
  const allowed = new Set(names.map((name) => hostNameOf(bracketed(name))))
  const isNamed = (name: string) => allowed.has(name) || isLoopback(name)
  let last: string | undefined
  return ({ headers, url = '', socket }) => {
    const { host } = headers
    // Nearly every request names the host of the one before, and its target names none.
    if (host !== undefined && host === last && url.startsWith('/')) return true
    const isAllowed = (name = '') => name !== '' && (isNamed(name) || name === addressOf(socket))
    const isMeant = namedHosts(host, url).every((named) => isAllowed(hostNameOf(named)))
    if (isMeant && isNamed(hostNameOf(host ?? '') ?? '')) last = host
    return isMeant
  }
}

/** Without port and trailing dot, in lower case, addresses in their shortest form; undefined for what is no host. */
export function hostNameOf(host: string): string | undefined {
  if (!/^[^\s/?#@\\]+$/.test(host)) return undefined
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '')
}

/** Host, which HTTP/1.0 may leave out, and the authority of the absolute form, which overrides it (RFC 9112 §3.2.2). */
function namedHosts(host: string | undefined, url: string): readonly string[] {
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  return [host, authority].filter((name) => name !== undefined)
}

/** The address that a client connected to. A link-local one has its zone behind it here, and in no Host header. */
function addressOf({ localAddress = '' }: Parameters<AnswersTo>[0]['socket']): string {
  return bracketed(localAddress.replace(/^::ffff:/, '').replace(/%.*$/, ''))
}

/** An address as it stands in a URL. */
function bracketed(name: string): string {
  return isIPv6(name) ? `[${name}]` : name
}

/**
 * The host names that a listener answers to. A web page whose own name is made to resolve to this machine (DNS rebinding)
 * would otherwise reach services that its browser may not read across origins.
 */

import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { isLoopback } from '@latchkey/protocol'

export type AnswersTo = (request: IncomingMessage) => boolean

/** In a list of names: every name there is. */
export const anyHost = '*'

/** Enough for the spellings that real clients use. */
const mostRemembered = 100

/**
 * Beside the given names: loopback ones, and the address on which a connection came in, since no DNS answer leads to a
 * page under an address. Ports are not compared, because a proxy may change them.
 */
export function allowedHosts(names: readonly string[]): AnswersTo {
  if (names.includes(anyHost)) return () => true
  const allowed = new Set(names.map((name) => hostNameOf(isIPv6(name) ? `[${name}]` : name)))
  const isAllowed = remembering((host) => {
    const name = hostNameOf(host)
    return name !== undefined && (isLoopback(name) || allowed.has(name))
  })
  return (request) =>
    namedHosts(request).every((host) => isAllowed(host) || isOwnAddress(host, request))
}

/** Without port and trailing dot, in lower case, addresses in their shortest form; undefined for what is no host. */
export function hostNameOf(host: string): string | undefined {
  if (!/^[^\s/?#@\\]+$/.test(host)) return undefined
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '')
}

/** Host, which HTTP/1.0 may leave out, and the authority of the absolute form, which overrides it (RFC 9112 §3.2.2). */
function namedHosts({ headers, url = '' }: IncomingMessage): readonly string[] {
  const { host } = headers
  const authority = url.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]
  return [host, authority].filter((name) => name !== undefined)
}

function isOwnAddress(host: string, { socket }: IncomingMessage): boolean {
  const own = socket.localAddress?.replace(/^::ffff:/, '')
  return own !== undefined && hostNameOf(host)?.replace(/^\[|\]$/g, '') === own
}

/** Most requests come under one name, which need not be taken apart each time. */
function remembering(isAllowed: (host: string) => boolean): (host: string) => boolean {
  const known = new Set<string>()
  return (host) => {
    if (known.has(host)) return true
    if (!isAllowed(host)) return false
    if (known.size < mostRemembered) known.add(host)
    return true
  }
}

/** The addresses and host names of requests: who sent them, behind proxies, and which names a listener answers to. */

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { type AnyId, idPattern, isLoopback } from '@latchkey/protocol'

export type ClientAddress = (request: IncomingMessage) => string

export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = addressMatcher(trustedProxies)
  return (request) => {
    const hops = trustedProxies.length === 0 ? [] : forwardedFor(request)
    let address = plain(request.socket.remoteAddress ?? '')
    // From the nearest proxy outwards: the first one that is not ours is the client.
    while (isTrusted(address)) {
      const previous = hops.pop()
      if (previous === undefined || isIP(previous) === 0) break
      address = previous
    }
    return address
  }
}

/**
 * Gives the id that a trusted proxy has given the request, so that the logs of both have the same. Security boundary: a
 * client must not choose what a log says, nor give two requests one id.
 */
export function forwardedId(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => AnyId | undefined {
  const isTrusted = addressMatcher(trustedProxies)
  return ({ headers, socket }) => {
    const id = headers['x-request-id']
    const isOurs = typeof id === 'string' && idPattern.test(id)
    return isOurs && isTrusted(socket.remoteAddress ?? '') ? (id as AnyId) : undefined
  }
}

/** Undefined when a range cannot be read. */
export function isAddressRange(range: string): boolean {
  const [address = '', bits, more] = range.split('/')
  const family = isIP(address)
  if (family === 0 || more !== undefined) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Whether an address is in one of the ranges. */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => false
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (text) => {
    const address = plain(text)
    return isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

function forwardedFor({ headers }: IncomingMessage): string[] {
  const value = headers['x-forwarded-for']
  const text = Array.isArray(value) ? value.join(',') : (value ?? '')
  return text.split(',').map((hop) => plain(hop.trim()))
}

function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/** One household or machine usually has an IPv6 /64 to itself, so it counts as one. */
export function networkOf(address: string): string {
  return prefixOf(address, 4)
}

/** An organisation gets an IPv6 /48, and with it 65 536 networks. */
export function siteOf(address: string): string {
  return prefixOf(address, 3)
}

function prefixOf(address: string, groups: number): string {
  const plainAddress = plain(address)
  if (!isIPv6(plainAddress)) return plainAddress
  const [head = '', tail] = new URL(`http://[${plainAddress.split('%')[0]}]`).hostname
    .slice(1, -1)
    .split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return `${[...before, ...zeros, ...after].slice(0, groups).join(':')}::/${16 * groups}`
}

export type AnswersTo = (
  request: Pick<IncomingMessage, 'headers' | 'url'> & {
    readonly socket: Pick<IncomingMessage['socket'], 'localAddress'>
  },
) => boolean

/** In a list of names: every name there is. */
export const anyHost = '*'

/**
 * The host names that a listener answers to. A web page whose own name is made to resolve to this machine (DNS rebinding)
 * would otherwise reach services that its browser may not read across origins. Beside the given names: loopback ones, and the address on which a connection came in, since no DNS answer leads to a
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

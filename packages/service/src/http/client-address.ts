/** The address a request comes from, behind proxies that the operator trusts. */

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

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
  const known = plain(address)
  if (!isIPv6(known)) return known
  const [head = '', tail] = new URL(`http://[${known.split('%')[0]}]`).hostname
    .slice(1, -1)
    .split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`
}

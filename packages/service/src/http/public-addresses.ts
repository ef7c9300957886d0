/** Keeps requests to addresses of the public internet: a name that somebody else controls must not lead inside. */

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { BlockList, isIP, isIPv6 } from 'node:net'

const notPublicIPv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

/** Documentation, Teredo and 6to4, which hold other addresses. */
const notPublicIPv6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const

const notPublic = listOf(notPublicIPv4, notPublicIPv6)

/** Global unicast (RFC 4291). */
const globalUnicast = listOf([], [['2000::', 3]])

type Subnets = readonly (readonly [address: string, prefix: number])[]

function listOf(ofIPv4: Subnets, ofIPv6: Subnets): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of ofIPv4) list.addSubnet(address, prefix, 'ipv4')
  for (const [address, prefix] of ofIPv6) list.addSubnet(address, prefix, 'ipv6')
  return list
}

export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return isIP(address) === 4 && !notPublic.check(address, 'ipv4')
  return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/** For an agent of `node:http`: a name with any other address cannot be reached. */
export function lookUpPublic(hostname: string, options: LookupOptions, found: Found): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return found(error, [])
    const [first] = addresses
    const isInside = addresses.some(({ address }) => !isPublicAddress(address))
    if (first === undefined || isInside) return found(privateAddress(hostname), [])
    if (options.all === true) found(null, addresses)
    else found(null, first.address, first.family)
  })
}

/** A name is checked when it is looked up. */
export function isPrivateLiteral(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) !== 0 && !isPublicAddress(bare)
}

function privateAddress(hostname: string): Error {
  return new Error(`${hostname} has an address that is not public`)
}

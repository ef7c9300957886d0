/** From how far an address can be reached: only this machine or link, a private network, or anywhere. */

import { BlockList, isIP } from 'node:net'

/** Larger is nearer. */
export type Reach = 0 | 1 | 2
const anywhere = 0
const privateNetwork = 1
const thisMachine = 2

// Link-local addresses count as this machine, and so do others at which cloud providers serve its credentials.
const onThisMachine = lazyBlockList([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '::/127',
  'fe80::/10',
  'fd00:ec2::254/128',
])

const onPrivateNetwork = lazyBlockList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  'fc00::/7',
  'fec0::/10',
  'ff00::/8',
])

/** The reach of an IP address, without brackets; a name that is not looked up counts as anywhere. */
export function reachOf(host: string): Reach {
  const name = host.replace(/\.$/, '').toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost')) return thisMachine
  const address = embeddedIPv4(name) ?? name
  const family = isIP(address)
  if (family === 0) return anywhere
  const type = family === 6 ? 'ipv6' : 'ipv4'
  if (onThisMachine().check(address, type)) return thisMachine
  return onPrivateNetwork().check(address, type) ? privateNetwork : anywhere
}

/** `::ffff:7f00:1` and `64:ff9b::7f00:1` lead to 127.0.0.1. */
function embeddedIPv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined
  const hex = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1)
  const [, high, low] = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(hex) ?? []
  if (high === undefined || low === undefined) return undefined
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [first >> 8, first & 255, second >> 8, second & 255].join('.')
}

/** Made when it is asked for: most storages give URLs of their own, for which it never is. */
function lazyBlockList(ranges: readonly string[]): () => BlockList {
  let list: BlockList | undefined
  return () => {
    list ??= blockList(ranges)
    return list
  }
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

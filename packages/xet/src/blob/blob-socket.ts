/** Opens sockets to the addresses of a blob URL that were judged, and to no others. */

import { createRequire } from 'node:module'
import {
  connect as connectPlain,
  type LookupFunction,
  type OnReadOpts,
  type Socket,
} from 'node:net'
import type { BlobTarget } from './blob-target.ts'

/** How long a connection may stand still while it is used. */
export const timeoutMs = 300_000

export function openSocket({ url, host, addresses }: BlobTarget, onread: OnReadOpts): Socket {
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port) || (isSecure ? 443 : 80)
  const options = { host, port, lookup: pinned(addresses), onread, noDelay: true }
  if (!isSecure) return connectPlain(options)
  // Loaded here, because plain http needs none of it and it takes 15 ms.
  const tls: typeof import('node:tls') = createRequire(import.meta.url)('node:tls')
  return tls.connect({ ...options, ...(isName(host) ? { servername: host } : {}) })
}

/** RFC 6066 §3: an address is no server name. */
function isName(host: string): boolean {
  return !/^[\d.]+$|:/.test(host)
}

/** A second look-up could give an address that was not judged. */
export function pinned(addresses: BlobTarget['addresses']): LookupFunction {
  return (_hostname, { all }, found) => {
    const [first] = addresses
    if (all) found(null, [...addresses])
    else found(null, first?.address ?? '', first?.family)
  }
}

/** Decides whether a blob URL is opened: never where it leads nearer to this machine than the storage is. */

import { lookup } from 'node:dns/promises'
import { IntegrityError } from '../format/format-error.ts'
import { parseBlobUrl } from './parse-blob-url.ts'
import { type Reach, reachOf } from './reach.ts'

export interface BlobTarget {
  readonly url: URL
  /** The host of the URL, in the form for lookups and sockets. */
  readonly host: string
  /** The addresses that were judged; the connection goes to one of them. */
  readonly addresses: readonly LookupAddress[]
}

/** As Node looks names up. */
export interface LookupAddress {
  readonly address: string
  readonly family: number
}

export type LookUp = (hostname: string) => Promise<readonly LookupAddress[]>

const lookUpAll: LookUp = (hostname) => lookup(hostname, { all: true })

/** The URL comes from the storage's answer; a hostile one must not make this machine ask its own services. */
export async function blobTarget(
  text: string,
  storageUrl: string,
  lookUp: LookUp = lookUpAll,
): Promise<BlobTarget> {
  const [url, storage] = [parseBlobUrl(text, storageUrl), new URL(storageUrl)]
  const host = hostOf(url)
  const addresses = await lookUp(host)
  if (url.origin === storage.origin) return { url, host, addresses }
  const nearest = Math.max(reachOf(host), ...addresses.map(reachOfAddress))
  if (nearest > (await reachOfStorage(hostOf(storage), lookUp))) {
    throw new IntegrityError(
      `the storage names a URL on ${url.host}, which is on this machine or in a private network while the storage is not. It was not opened.`,
    )
  }
  return { url, host, addresses }
}

/** The farthest of its addresses counts, so that one near address opens nothing. */
async function reachOfStorage(host: string, lookUp: LookUp): Promise<Reach> {
  const named = reachOf(host)
  if (named > 0) return named
  const addresses = await lookUp(host).catch(() => [])
  const reaches = addresses.map(reachOfAddress)
  return reaches.reduce((farthest, one) => (one < farthest ? one : farthest), reaches[0] ?? 0)
}

function reachOfAddress({ address }: LookupAddress): Reach {
  return reachOf(address)
}

/** A URL has brackets around an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

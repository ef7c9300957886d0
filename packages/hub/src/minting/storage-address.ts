/** Where the storage is: one URL for all, or one for every repository and ref. */

import { CannotStart } from '../operations/cannot-start.ts'

export interface StorageAddress {
  /** The tokens' `aud`: what stands before the first placeholder, without a trailing slash. */
  readonly audience: string
  urlFor(repositoryUid: string, refUid: string): string
}

export function storageAddress(casUrl: string): StorageAddress {
  const placeholder = casUrl.indexOf('{')
  if (placeholder === -1) return { audience: casUrl, urlFor: () => casUrl }
  return {
    audience: casUrl.slice(0, placeholder).replace(/\/+$/, ''),
    urlFor: (repositoryUid, refUid) =>
      casUrl.replace('{repo}', repositoryUid).replace('{ref}', refUid),
  }
}

const longestCasUrl = 2048

/** Names and refs of the longest kind take 2280 characters of a token; these two may have the rest. */
const longestIssuerAndAudience = 1300

export function refuseLongAddresses({ publicUrl, casUrl }: Addresses): void {
  if (casUrl.length > longestCasUrl) {
    throw new CannotStart(
      `casUrl has ${casUrl.length} characters; at most ${longestCasUrl} are allowed.`,
    )
  }
  const together = publicUrl.length + storageAddress(casUrl).audience.length
  if (together > longestIssuerAndAudience) {
    throw new CannotStart(
      `publicUrl and casUrl (up to its first placeholder) have ${together} characters together; at most ${longestIssuerAndAudience} are allowed, because every storage token repeats both.`,
    )
  }
}

interface Addresses {
  readonly publicUrl: string
  readonly casUrl: string
}

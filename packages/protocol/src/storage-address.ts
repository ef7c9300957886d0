/** Where the storage is: one URL for all, or one for every repository and ref. */

import { type RefUid, type RepositoryUid, refSegment } from './ids.ts'

export interface StorageAddress {
  /** The tokens' `aud`: what stands before the first placeholder, without a trailing slash. */
  readonly audience: string
  /** Another epoch is another URL: clients remember by URL what they believe to be stored. */
  urlFor(repositoryUid: RepositoryUid, refUid: RefUid, epoch?: number): string
}

export function storageAddress(casUrl: string): StorageAddress {
  const placeholder = casUrl.indexOf('{')
  if (placeholder === -1) return { audience: casUrl, urlFor: () => casUrl }
  return {
    audience: casUrl.slice(0, placeholder).replace(/\/+$/, ''),
    urlFor: (repositoryUid, refUid, epoch = 0) =>
      casUrl.replace('{repo}', repositoryUid).replace('{ref}', refSegment(refUid, epoch)),
  }
}

/** The URLs by which clients fetch content: from the storage, or from the object store itself. */

import type { BlobBearer, BlobRun } from '../blob-url/blob-permit.ts'
import type { DayKey } from '../blob-url/day-keys.ts'
import type { FoundXorb } from '../catalog/catalog.ts'
import { isWithin } from '../catalog/scoped-digest.ts'
import type { ObjectReader } from '../objects/object-store.ts'
import { blobUrlsFor } from '../request/blob-url-of.ts'

/** Opens one run of bytes of a xorb. */
export type FetchUrl = (xorb: FoundXorb, run: BlobRun) => string

/** For whom the URLs of one response are signed, and with what. */
export interface UrlBearer {
  readonly bearer: BlobBearer
  readonly key: DayKey
  /** How soon a client must begin to fetch content from the store itself, where it does that. */
  readonly directSeconds: number
}

/**
 * Security boundary: an object store tells everyone who fetches an object when it was written. So its URL is given only for
 * an object that no other repository can have, and otherwise one of the storage.
 */
export function fetchUrlsOf({ directUrls }: Pick<ObjectReader, 'directUrls'>, casUrl: string) {
  const blobUrls = blobUrlsFor(casUrl)
  return async ({ key, bearer, directSeconds }: UrlBearer): Promise<FetchUrl> => {
    const blobUrl = blobUrls(key, bearer)
    const directUrl = await directUrls?.(directSeconds)
    if (directUrl === undefined) return (_, run) => blobUrl(run)
    const isOwn = ({ digest }: FoundXorb) => isWithin(bearer.repositoryUid, digest)
    return (xorb, run) => (isOwn(xorb) ? directUrl(xorb.key, run.start, run.end) : blobUrl(run))
  }
}

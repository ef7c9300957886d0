/** The URL that opens one run of bytes to whoever was told it, for a few minutes and never longer than the token. */

import type { Grant } from '@latchkey/gate'
import {
  asRefUid,
  asRepositoryUid,
  storageAddress,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { type BlobBearer, type BlobRun, maxBlobSeconds } from '../blob-url/blob-permit.ts'
import { blobSigner } from '../blob-url/blob-url.ts'
import type { DayKey } from '../blob-url/day-keys.ts'

export type SignedUrl = (run: BlobRun) => string

/** Below the prefix of the request, where no other route is. */
export const blobSegment = 'blobs'

/** Addresses are those of a bearer and its own ref. */
export function blobUrlsFor(casUrl: string) {
  const { urlFor } = storageAddress(casUrl)
  return (key: DayKey, bearer: BlobBearer): SignedUrl => {
    const sign = blobSigner(key, bearer)
    const address = `${urlFor(bearer.repositoryUid, bearer.refUid)}/${blobSegment}`
    return (run) => `${address}/${run.xorb}?${sign(run)}`
  }
}

export interface BearerOptions {
  readonly now: UnixSeconds
  /** How long after its `exp` a token still opens anything. */
  readonly leewaySeconds: number
}

export function bearerOf(grant: Grant, { now, leewaySeconds }: BearerOptions): BlobBearer {
  const { tokenId, hubToken, subject, kid, namespace, asOf } = grant
  const [repositoryUid, refUid] = [asRepositoryUid(grant.repositoryUid), asRefUid(grant.refUid)]
  const tokenEnds = grant.expiresAt + leewaySeconds
  const expiresAt = unixSeconds(Math.min(now + maxBlobSeconds, tokenEnds))
  return { repositoryUid, refUid, tokenId, hubToken, subject, kid, namespace, asOf, expiresAt }
}

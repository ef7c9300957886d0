/** The URL that opens one run of bytes to whoever was told it, for a few minutes and never longer than the token. */

import type { Grant } from '@latchkey/gate'
import { type Clock, type RefUid, storageAddress, unixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { type BlobUrls, longestBlobSeconds } from '../blob-url/blob-url.ts'

export type BlobUrlOf = (
  grant: Grant,
  /** The ref whose row opens the xorb. */
  refUid: RefUid,
  xorb: Hash,
  bytes: { readonly start: number; readonly end: number },
) => string

/** Below the prefix of the request, where no other route is. */
export const blobSegment = 'blobs'

export interface BlobUrlOptions {
  readonly urls: BlobUrls
  readonly casUrl: string
  readonly clock: Clock
  /** How long after its `exp` a token still opens anything. */
  readonly leewaySeconds: number
}

export function blobUrlOf({ urls, casUrl, clock, leewaySeconds }: BlobUrlOptions): BlobUrlOf {
  const { urlFor } = storageAddress(casUrl)
  return ({ repositoryUid, ...grant }, refUid, xorb, { start, end }) => {
    const tokenEnds = grant.expiresAt + leewaySeconds
    const expiresAt = unixSeconds(Math.min(clock() + longestBlobSeconds, tokenEnds))
    const { tokenId, subject } = grant
    const permit = { repositoryUid, refUid, xorb, start, end, tokenId, subject, expiresAt }
    const query = urls.sign(permit)
    return `${urlFor(repositoryUid, grant.refUid)}/${blobSegment}/${xorb}?${query}`
  }
}

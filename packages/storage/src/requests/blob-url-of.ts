/** The URL that opens one run of bytes to whoever was told it, for a few minutes and never longer than the token. */

import type { Grant } from '@latchkey/gate'
import { type RefUid, storageAddress, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { type BlobUrls, longestBlobSeconds } from '../blob-url/blob-url.ts'

/** For whom a URL is signed. */
export type BlobBearer = Pick<
  Grant,
  'repositoryUid' | 'refUid' | 'tokenId' | 'subject' | 'expiresAt'
>

export type SignedUrl = (
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
  /** How long after its `exp` a token still opens anything. */
  readonly leewaySeconds: number
}

export function blobUrlsFor({ urls, casUrl, leewaySeconds }: BlobUrlOptions) {
  const { urlFor } = storageAddress(casUrl)
  return (bearer: BlobBearer, now: UnixSeconds): SignedUrl => {
    const { repositoryUid, tokenId, subject } = bearer
    const tokenEnds = bearer.expiresAt + leewaySeconds
    const expiresAt = unixSeconds(Math.min(now + longestBlobSeconds, tokenEnds))
    const address = urlFor(repositoryUid, bearer.refUid)
    return (refUid, xorb, { start, end }) => {
      const permit = { repositoryUid, refUid, xorb, start, end, tokenId, subject, expiresAt }
      return `${address}/${blobSegment}/${xorb}?${urls.sign(permit)}`
    }
  }
}

export function bearerOf(grant: Grant): BlobBearer {
  const { repositoryUid, refUid, tokenId, subject, expiresAt } = grant
  return { repositoryUid, refUid, tokenId, subject, expiresAt }
}

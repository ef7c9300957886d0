/** A signed URL permits one range of bytes of one xorb, to the bearer of one storage token. */

import type { Revocable } from '@latchkey/gate'
import type { RefUid, RepositoryUid, UnixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'

/** For whom URLs are signed, and until when. */
export interface BlobBearer extends Omit<Revocable, 'refUids'> {
  readonly repositoryUid: RepositoryUid
  /** The token's own ref. */
  readonly refUid: RefUid
  readonly expiresAt: UnixSeconds
}

/** The range that one URL opens. */
export interface BlobRun {
  /** The ref whose row opens the xorb. */
  readonly from: RefUid
  readonly xorb: Hash
  /** The bytes that may be asked for, the last one included. */
  readonly start: number
  readonly end: number
}

/** All values that the signature covers. */
export interface BlobPermit extends BlobRun, BlobBearer {
  /**
   * The token's own ref, and the one whose row opens the xorb. The token may see others, but nothing that this URL opens
   * comes from them.
   */
  readonly refUids: readonly RefUid[]
}

export const maxBlobSeconds = 300

/**
 * The store does not know which tokens are revoked, so its URLs end sooner. Clients that come later ask for others: the
 * real ones do so after a 403.
 */
export const maxDirectSeconds = 60

/** The credentials of the storage and the forge that a hub runs beside itself: made at every start, kept in memory only. */

import { timingSafeEqual } from 'node:crypto'
import type { Secret } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { hashHubToken, makeHubToken } from './hub-token.ts'

export interface EmbeddedCredential {
  readonly credential: Secret<'hub-token'>
  /** Whether it has this hash. */
  isOf(hash: string): boolean
}

/** It has the form of a hub token, so that logs scrub it; no directory has its hash, so only `isSame` accepts it. */
export function makeEmbeddedCredential(randomBytes: RandomBytes): Secret<'hub-token'> {
  return makeHubToken('embedded_', randomBytes)
}

export function embeddedCredential(credential: Secret<'hub-token'>): EmbeddedCredential {
  const own = Buffer.from(hashHubToken(credential))
  return {
    credential,
    isOf(hash) {
      const other = Buffer.from(hash)
      return other.length === own.length && timingSafeEqual(other, own)
    },
  }
}

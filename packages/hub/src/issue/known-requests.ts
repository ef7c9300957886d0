/** Token requests that were permitted, until the directory changes: how they are remembered, and under what. */

import type { HubTokenId, TokenPath, UnixSeconds } from '@latchkey/protocol'
import type { LogMembers } from '@latchkey/service/observe/log'
import type { DirectoryVersion } from '../access/access-store.ts'
import type { AnswerCache } from '../access/answer-cache.ts'
import type { Access } from '../access/find-access.ts'
import type { PreparedToken } from '../minting/mint-token.ts'

/** All that its next token needs. Refusals are not remembered. */
export interface KnownRequest {
  readonly hubTokenId: HubTokenId
  readonly expiresAt: UnixSeconds | undefined
  /** Not the whole path: its parts are cut out of the text of the request, which they would keep. */
  readonly path: Pick<TokenPath, 'word' | 'scope'>
  readonly token: PreparedToken
  /** What every log line about it says. */
  readonly logged: LogMembers
}

/** A known request, and the moment since when its facts may have changed. */
export interface Recalled extends Pick<DirectoryVersion, 'learned'> {
  readonly request: KnownRequest
}

export interface KnownRequests extends Pick<AnswerCache<KnownRequest>, 'asking'> {
  /** Undefined where it is not known, or the directory has changed since, or nobody can say. */
  recall(key: string): Recalled | undefined
}

/** In characters of what they keep: about 40 MB, and 27 000 requests with names of usual length. */
const mostKept = 40_000_000
/** Of the objects around them. */
const besides = 500

export function knownRequests({
  cacheOf,
  currentVersion,
}: Pick<Access, 'cacheOf' | 'currentVersion'>): KnownRequests {
  const requests = cacheOf<KnownRequest>({
    most: mostKept,
    sizeOf: ({ token, logged }, key) => key.length + token.length + logged.length + besides,
  })
  return {
    asking: requests.asking,
    recall(key) {
      // First, because it empties the cache where the directory has changed.
      const version = currentVersion()
      const request = version && requests.get(key)
      return request && { request, learned: version.learned }
    },
  }
}

/** A query means nothing here: one hub token could fill the memory with the same request in many spellings. */
const mark = '?'

/**
 * What a request is remembered under: the hash of its hub token, so that no hub token stays in memory, and its target.
 * Undefined for a request with a query.
 */
export function keyOf(hubTokenHash: string, target: string): string | undefined {
  return target.includes(mark) ? undefined : `${hubTokenHash} ${target}`
}

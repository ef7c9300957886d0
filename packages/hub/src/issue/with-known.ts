/** Requests that were permitted before, around the steps of a token request: they get their next token at once. */

import {
  formatRepoRef,
  formatRevision,
  type HubTokenId,
  isRefusal,
  type TokenPath,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { type LogMembers, logMembers, shorten } from '@latchkey/service/observe/log'
import type { DirectoryVersion } from '../access/access-store.ts'
import type { AnswerCache } from '../access/caches.ts'
import type { Access } from '../access/find-access.ts'
import { renewalSeconds } from '../access/look-up.ts'
import type { Caller } from '../identity/caller.ts'
import { hasExpired } from '../identity/identify-caller.ts'
import type { MintedToken, PreparedToken } from '../minting/mint-token.ts'
import type { LoggedCaller, Outcome } from './authenticate.ts'
import { type IssueDeps, type IssuedToken, type TokenRequest, whyUnsigned } from './issue-token.ts'
import { issueFresh } from './with-fresh-facts.ts'

export interface KnownDeps extends IssueDeps {
  readonly knownRequests: KnownRequests
}

export interface IssuedAgain {
  readonly minted: MintedToken
  readonly request: KnownRequest
}

export interface KeyedRequest extends TokenRequest {
  readonly path: TokenPath & Pick<TokenRequest['path'], 'uploadsAt'>
  /** Under which it is remembered once it was permitted; undefined where it is not. */
  readonly key?: string | undefined
}

function withKnown(issue: (request: TokenRequest, deps: IssueDeps) => Promise<IssuedToken>) {
  return {
    issueKnown,
    async issueAnew(request: KeyedRequest, deps: KnownDeps): Promise<Outcome<MintedToken>> {
      const keep = deps.knownRequests.asking()
      const { token, ...outcome } = await issue(request, deps)
      const { result, caller } = outcome
      const isKept = token !== undefined && caller !== undefined && !isRefusal(result)
      if (isKept && request.key !== undefined) {
        keep(request.key, knownRequest(request.path, token, caller))
      }
      return outcome
    },
  }
}

/** The whole road: what is known, then fresh facts, then the steps. */
export const tokens = withKnown(issueFresh)

/**
 * The decision would say the same again: what it follows from has not changed since, except the time, which is compared
 * here. Undefined where it might say anything else, and nothing is counted then: `issueAnew` decides and says why. It waits for nothing.
 */
function issueKnown(key: string, now: UnixSeconds, deps: KnownDeps): IssuedAgain | undefined {
  const recalled = deps.knownRequests.recall(key)
  if (recalled === undefined) return undefined
  const { request, learned } = recalled
  const { hubTokenId, token } = request
  if (hasExpired(request, now) || deps.followKeys() !== undefined) return undefined
  if (whyUnsigned(learned, deps) !== undefined) return undefined
  if (deps.limits.forHubToken(hubTokenId) !== undefined) return undefined
  deps.noteUse(hubTokenId, now)
  return { minted: token.sign(now), request }
}

function knownRequest(path: TokenPath, token: PreparedToken, caller: Caller): KnownRequest {
  const { hubTokenId } = caller
  const { expiresAt } = token
  // A role of memberships may have been renewed meanwhile.
  const isOfRole = expiresAt !== undefined && expiresAt !== caller.expiresAt
  const { word, scope } = path
  return {
    hubTokenId,
    expiresAt: isOfRole ? unixSeconds(expiresAt - renewalSeconds) : expiresAt,
    path: { word, scope },
    token,
    logged: loggedRequest(path, caller),
  }
}

/** The fields that every log line about the same token request has. */
export function loggedRequest(path: TokenPath, caller: LoggedCaller | undefined): LogMembers {
  return logMembers({
    subject: caller?.accountId,
    account: caller?.accountName,
    hubToken: caller?.hubTokenId,
    repository: path.repo === undefined ? undefined : formatRepoRef(path.repo),
    ref: shorten(formatRevision(path.revision)),
    scope: path.scope,
  })
}

/** All that its next token needs. Refusals are not remembered. */
export interface KnownRequest {
  readonly hubTokenId: HubTokenId
  /** When the hub token ends, or some time before the caller's role does. */
  readonly expiresAt: UnixSeconds | undefined
  /** Not the whole path: its parts are cut out of the text of the request, which they would keep. */
  readonly path: Pick<TokenPath, 'word' | 'scope'>
  readonly token: PreparedToken
  /** The fields that every log line about it has. */
  readonly logged: LogMembers
}

/** A known request, and the moment since when its facts may have changed. */
export interface RecalledRequest extends Pick<DirectoryVersion, 'learned'> {
  readonly request: KnownRequest
}

export interface KnownRequests extends Pick<AnswerCache<KnownRequest>, 'asking'> {
  /** Undefined where it is not known, or the directory has changed since, or nobody can say. */
  recall(key: string): RecalledRequest | undefined
}

/** In characters of what they keep: about 40 MB, and 27 000 requests with names of usual length. */
const maxKept = 40_000_000
/** Bytes of the objects around the two texts. */
const besides = 500

export function knownRequests({
  cacheOf,
  currentVersion,
}: Pick<Access, 'cacheOf' | 'currentVersion'>): KnownRequests {
  const requests = cacheOf<KnownRequest>({
    most: maxKept,
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
 * The cache key of a request: its target and the hash of its hub token, so that memory holds no hub
 * token. Undefined for a request with a query.
 */
export function keyOf(hubTokenHash: string, target: string): string | undefined {
  return target.includes(mark) ? undefined : `${hubTokenHash} ${target}`
}

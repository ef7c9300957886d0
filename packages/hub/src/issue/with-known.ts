/** Requests that were permitted before, around the steps of a token request: they get their next token at once. */

import {
  formatRepoRef,
  formatRevision,
  isRefusal,
  type TokenPath,
  type UnixSeconds,
} from '@latchkey/protocol'
import { type LogMembers, logMembers, shorten } from '@latchkey/service/observe/log'
import type { Caller } from '../identity/caller.ts'
import { hasExpired } from '../identity/identify-caller.ts'
import type { Minted, PreparedToken } from '../minting/mint-token.ts'
import type { LoggedCaller, Outcome } from './authenticate.ts'
import { type IssueDeps, type Issued, type TokenRequest, whyUnsigned } from './issue-token.ts'
import type { KnownRequest } from './known-requests.ts'
import { issueFresh } from './with-fresh-facts.ts'

export interface IssuedAgain {
  readonly minted: Minted
  readonly request: KnownRequest
}

export interface KeyedRequest extends TokenRequest {
  readonly path: TokenPath & Pick<TokenRequest['path'], 'uploadsAt'>
  /** Under which it is remembered once it was permitted; undefined where it is not. */
  readonly key?: string | undefined
}

function withKnown(issue: (request: TokenRequest, deps: IssueDeps) => Promise<Issued>) {
  return {
    issueKnown,
    async issueAnew(request: KeyedRequest, deps: IssueDeps): Promise<Outcome<Minted>> {
      const keep = deps.known.asking()
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
function issueKnown(key: string, now: UnixSeconds, deps: IssueDeps): IssuedAgain | undefined {
  const recalled = deps.known.recall(key)
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
  const { hubTokenId, expiresAt } = caller
  const { word, scope } = path
  return {
    hubTokenId,
    expiresAt,
    path: { word, scope },
    token,
    logged: loggedRequest(path, caller),
  }
}

/** What every log line about the same token request says. */
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

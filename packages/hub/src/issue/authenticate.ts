/** Authenticates a request: reads its credential, looks up the caller and the repository, judges and counts. */

import {
  type HubTokenId,
  isRefusal,
  type Refusal,
  type RepoRef,
  type Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { Access, AccessFacts, AccessQuestion } from '../access/find-access.ts'
import { anonymous, type Caller } from '../identity/caller.ts'
import { hashHubToken } from '../identity/hub-token.ts'
import { identifyCaller } from '../identity/identify-caller.ts'
import { readCredential } from '../identity/read-credential.ts'
import type { WantedRevision } from '../permission/access-facts.ts'
import type { RequestLimits } from './request-limits.ts'

export interface Credentials {
  /** Every Authorization header of the request. */
  readonly authorization: readonly string[]
  /** Where failures are counted; asked only when there is one. */
  readonly address: () => string
  readonly now: UnixSeconds
}

/** The repository of the request: it is looked up together with the caller. */
export interface About {
  readonly repo: RepoRef | undefined
  readonly revision: WantedRevision
}

export interface Authenticating extends Omit<Access, 'cacheOf' | 'currentVersion'> {
  readonly limits: RequestLimits
  readonly noteUse: (hubTokenId: HubTokenId, now: UnixSeconds) => void
  /** Whether a request without a credential is let in as `anonymous`. */
  readonly admitsAnonymous: boolean
}

/** What is known of a valid caller and the repository. */
export interface Facts extends Omit<AccessFacts, 'caller'> {
  readonly caller: Caller
}

export interface Authenticated extends Facts {
  /** The same facts once more, past every cache that may be older than the request. */
  readonly again: () => Promise<Facts | Refusal>
}

/** The result of a request, and its caller for the log. */
export interface Outcome<Result> {
  readonly result: Result | Refusal
  readonly caller?: Caller
}

export async function authenticate(
  { authorization, address, now }: Credentials,
  about: About,
  authenticating: Authenticating,
): Promise<Outcome<Authenticated>> {
  const { limits, noteUse, admitsAnonymous } = authenticating
  const failed = (refusal: Refusal) => ({ result: limits.forFailure(address()) ?? refusal })

  // Cached prefixes are there at once; waiting for them would delay every request.
  const prefixes = authenticating.knownPrefixes()
  const known = prefixes instanceof Promise ? await prefixes : prefixes
  const read = readCredential(authorization, known)
  const isRead = !isRefusal(read) || authorization.length === 0
  const credential = isRead ? read : await readCurrently(authorization, authenticating)
  const isAnonymous = isRefusal(credential)
  if (isAnonymous) {
    if (!admitsAnonymous || authorization.length > 0) return failed(credential)
    const limited = limits.forAnonymous(address())
    if (limited !== undefined) return { result: limited }
  }

  const hubTokenHash = isAnonymous ? undefined : hashHubToken(credential)
  const look = lookFor({ hubTokenHash, now, ...about }, authenticating)
  const found = await look()
  if (isRefusal(found)) return failed(found)
  const { caller } = found
  const authenticated = { ...found, again: () => look({ anew: true }) }
  if (isAnonymous) return { result: authenticated }

  const limited = limits.forHubToken(caller.hubTokenId)
  if (limited !== undefined) return { result: limited, caller }
  noteUse(caller.hubTokenId, now)
  return { result: authenticated, caller }
}

/** A prefix that is not known may have been configured at another hub a moment ago. */
async function readCurrently(
  authorization: readonly string[],
  { currentPrefixes }: Authenticating,
): Promise<Secret<'hub-token'> | Refusal> {
  return readCredential(authorization, await currentPrefixes())
}

/** The hub refuses no caller by a cache that may be older than the request. */
function lookFor(question: AccessQuestion, { findAccess }: Authenticating) {
  return async function look({ anew = false } = {}): Promise<Facts | Refusal> {
    const finding = findAccess({ ...question, anew })
    const { caller: record, ...facts } = finding instanceof Promise ? await finding : finding
    const isAnonymous = question.hubTokenHash === undefined
    const caller = isAnonymous ? anonymous : identifyCaller(record, question.now)
    if (!isRefusal(caller)) return { ...facts, caller }
    return facts.isCurrent ? caller : look({ anew: true })
  }
}

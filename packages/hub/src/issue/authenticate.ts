/** Authenticates a request: reads its credential, looks up the caller and the repository, judges and counts. */

import {
  type HubTokenId,
  isRefusal,
  type Refusal,
  type RepoRef,
  type Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { Access } from '../access/find-access.ts'
import type { AccessFacts, AccessQuestion } from '../access/look-up.ts'
import { anonymous, type Caller } from '../identity/caller.ts'
import { hashHubToken } from '../identity/hub-token.ts'
import { identifyCaller } from '../identity/identify-caller.ts'
import { readCredential } from '../identity/read-credential.ts'
import type { WantedRevision } from '../permission/access-facts.ts'
import type { KnownAccounts } from './known-accounts.ts'
import type { RequestLimits } from './request-limits.ts'

export interface Credentials {
  /** Every Authorization header of the request. */
  readonly authorization: readonly string[]
  /** The hash of the one bearer credential among them, where it was computed before. */
  readonly hubTokenHash?: string | undefined
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
  readonly accounts: KnownAccounts
  readonly noteUse: (hubTokenId: HubTokenId, now: UnixSeconds) => void
  /** Whether a request without a credential is let in as `anonymous`. */
  readonly admitsAnonymous: boolean
}

/** The facts about a valid caller and the repository. */
export interface Facts extends Omit<AccessFacts, 'caller'> {
  readonly caller: Caller
}

export interface Authenticated {
  readonly facts: Facts
  /** The same once more, past every cache that may be older than the request. */
  readonly again: () => Promise<Facts | Refusal>
}

/** The result of a request, and its caller for the log. */
export interface Outcome<Result> {
  readonly result: Result | Refusal
  readonly caller?: Caller | undefined
  /** The owner of a hub token that is revoked or has expired, or of a disabled account. For the log alone. */
  readonly refusedCaller?: LoggedCaller | undefined
}

export type LoggedCaller = Pick<Caller, 'accountId' | 'accountName' | 'hubTokenId'>

export async function authenticate(
  { authorization, hubTokenHash: hashed, address, now }: Credentials,
  about: About,
  authenticating: Authenticating,
): Promise<Outcome<Authenticated>> {
  const { limits, accounts, noteUse, admitsAnonymous } = authenticating
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

  const { repo, revision } = about
  const hubTokenHash = isAnonymous ? undefined : (hashed ?? hashHubToken(credential))
  const question = { hubTokenHash, now, repo, revision }
  const finding = authenticating.findAccess(question)
  const facts = finding instanceof Promise ? await finding : finding
  const judged = judgeCaller(facts, question)
  const again = () => lookAnew(question, authenticating)
  // The hub refuses no caller by a cache that may be older than the request.
  const found = isRefusal(judged) && !facts.isCurrent ? await again() : judged
  if (isRefusal(found)) {
    if (hubTokenHash !== undefined) accounts.forget(hubTokenHash)
    return { ...failed(found), refusedCaller: facts.caller }
  }
  if (hubTokenHash === undefined) return { result: { facts: found, again } }

  const { caller } = found
  accounts.learn(hubTokenHash, caller)
  const limited = limits.forHubToken(caller.hubTokenId)
  if (limited !== undefined) return { result: limited, caller }
  noteUse(caller.hubTokenId, now)
  return { result: { facts: found, again }, caller }
}

/** A prefix that is not known may have been configured at another hub a moment ago. */
async function readCurrently(
  authorization: readonly string[],
  { currentPrefixes }: Authenticating,
): Promise<Secret<'hub-token'> | Refusal> {
  return readCredential(authorization, await currentPrefixes())
}

async function lookAnew(
  question: AccessQuestion,
  { findAccess }: Authenticating,
): Promise<Facts | Refusal> {
  return judgeCaller(await findAccess({ ...question, anew: true }), question)
}

function judgeCaller(
  { asOf, learned, isCurrent, isRecurring, caller: record, repository }: AccessFacts,
  { hubTokenHash, now }: AccessQuestion,
): Facts | Refusal {
  const caller = hubTokenHash === undefined ? anonymous : identifyCaller(record, now)
  if (isRefusal(caller)) return caller
  return { asOf, learned, isCurrent, isRecurring, caller, repository }
}

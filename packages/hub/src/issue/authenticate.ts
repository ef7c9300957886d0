/** Authenticates a request: reads its credential, looks up the caller and the repository, judges and counts. */

import {
  type HubTokenId,
  isRefusal,
  type JournalNumber,
  type Refusal,
  type RepoRef,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { Access } from '../access/find-access.ts'
import { anonymous, type Caller } from '../identity/caller.ts'
import { hashHubToken } from '../identity/hub-token.ts'
import { identifyCaller } from '../identity/identify-caller.ts'
import { readCredential } from '../identity/read-credential.ts'
import type { RepositoryFacts, WantedRevision } from '../permission/access-facts.ts'
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

export interface Authenticating extends Access {
  readonly limits: RequestLimits
  readonly noteUse: (hubTokenId: HubTokenId, now: UnixSeconds) => void
  /** Whether a request without a credential is let in as `anonymous`. */
  readonly admitsAnonymous: boolean
}

export interface Authenticated {
  readonly caller: Caller
  /** How new the view of the directory was at least. */
  readonly asOf: JournalNumber
  readonly repository: RepositoryFacts | undefined
}

/** The result of a request, and its caller for the log. */
export interface Outcome<Result> {
  readonly result: Result | Refusal
  readonly caller?: Caller
}

export async function authenticate(
  { authorization, address, now }: Credentials,
  about: About,
  { findAccess, knownPrefixes, limits, noteUse, admitsAnonymous }: Authenticating,
): Promise<Outcome<Authenticated>> {
  const failed = (refusal: Refusal) => ({ result: limits.forFailure(address()) ?? refusal })

  // Cached prefixes are there at once; waiting for them would delay every request.
  const prefixes = knownPrefixes()
  const known = prefixes instanceof Promise ? await prefixes : prefixes
  const credential = readCredential(authorization, known)
  if (isRefusal(credential)) {
    if (!admitsAnonymous || authorization.length > 0) return failed(credential)
    const limited = limits.forAnonymous(address())
    if (limited !== undefined) return { result: limited }
    const { repository, asOf } = await findAccess({ hubTokenHash: undefined, now, ...about })
    return { result: { caller: anonymous, asOf, repository } }
  }

  const facts = await findAccess({ hubTokenHash: hashHubToken(credential), now, ...about })
  const caller = identifyCaller(facts.caller, now)
  if (isRefusal(caller)) return failed(caller)

  const limited = limits.forHubToken(caller.hubTokenId)
  if (limited !== undefined) return { result: limited, caller }
  noteUse(caller.hubTokenId, now)
  const { asOf, repository } = facts
  return { result: { caller, asOf, repository }, caller }
}

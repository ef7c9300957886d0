/** The steps that find the caller of a request and its repository. A step that is given a refusal gives it on. */

import {
  type HubTokenId,
  isRefusal,
  type Refusal,
  type RepoRef,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { Access } from '../access/find-access.ts'
import type { AccessFacts, AccessQuestion } from '../access/look-up.ts'
import type { Caller } from '../identity/caller.ts'
import { parseCredential, type SentCredential } from '../identity/read-credential.ts'
import type { WantedRevision } from '../permission/access-facts.ts'
import type { KnownAccounts } from './known-accounts.ts'
import type { RequestLimits } from './request-limits.ts'

export interface Credentials {
  readonly sent: SentCredential
  /** Where failures are counted; asked only when there is one. */
  readonly address: () => string
  readonly now: UnixSeconds
}

/** The repository of the request: it is looked up together with the caller. */
export interface About {
  readonly repo: RepoRef | undefined
  readonly revision: WantedRevision
}

export interface AuthenticateDeps extends Omit<Access, 'cacheOf' | 'currentVersion'> {
  readonly limits: RequestLimits
  readonly accounts: KnownAccounts
  readonly noteUse: (hubTokenId: HubTokenId, now: UnixSeconds) => void
  /** Whether a request without a credential is let in as `anonymous`. */
  readonly admitsAnonymous: boolean
  /** Whether the caller is the session of a page, and can be no other. */
  readonly isOfSession?: boolean
}

/** The directory, as the steps of one request see it: `withFreshFacts` says how new it is. */
export interface DirectoryView {
  readonly deps: AuthenticateDeps
  prefixes(): ReadonlySet<string> | Promise<ReadonlySet<string>>
  findAccess(question: AccessQuestion): Promise<AccessFacts>
  /** A request counts once, however often its steps are taken. */
  countOnce(count: () => Refusal | undefined): Refusal | undefined
}

/** The facts about a valid caller and the repository. */
export interface Facts extends AccessFacts {
  readonly caller: Caller
}

/** The result of a request, and its caller for the log. */
export interface Outcome<Result> {
  readonly result: Result | Refusal
  readonly caller?: Caller | undefined
  /** The owner of a hub token that is revoked or has expired, or of a disabled account. For the log alone. */
  readonly refusedCaller?: LoggedCaller | undefined
}

export type LoggedCaller = Pick<Caller, 'accountId' | 'accountName' | 'hubTokenId'>

/** The caller alone, with the repository as the caller sees it; nothing is decided. */
export async function authenticate(
  request: Credentials & { readonly about: About },
  view: DirectoryView,
): Promise<Outcome<Facts>> {
  const credential = await readCredential(request, view)
  const access = await findAccess(credential, request.about, view)
  return outcomeOf(admitCaller(access, request, view), access)
}

/** A well-formed hub token by its hash; without one the request is let in as anonymous. */
export interface Credential {
  readonly hubTokenHash: string | undefined
  readonly now: UnixSeconds
}

export async function readCredential(
  { sent, address, now }: Credentials,
  view: DirectoryView,
): Promise<Credential | Refusal> {
  const { limits, admitsAnonymous } = view.deps
  const read = parseCredential(sent, await view.prefixes())
  if (!isRefusal(read)) return { hubTokenHash: sent.hash, now }
  if (!admitsAnonymous || !sent.isAbsent) return read
  const limited = view.countOnce(() => limits.forAnonymous(address()))
  return limited ?? { hubTokenHash: undefined, now }
}

/** One question to the store: the caller, identified by `identifyCaller`, and the repository as that account sees it. */
export async function findAccess(
  credential: Credential | Refusal,
  { repo, revision }: About,
  view: DirectoryView,
): Promise<AccessFacts | Refusal> {
  if (isRefusal(credential)) return credential
  const { hubTokenHash, now } = credential
  return view.findAccess({ hubTokenHash, now, repo, revision })
}

/** Counts the request of a caller who is identified. */
export function admitCaller(
  access: AccessFacts | Refusal,
  { sent, now }: Credentials,
  view: DirectoryView,
): Facts | Refusal {
  if (isRefusal(access)) return access
  const { caller } = access
  if (isRefusal(caller)) return caller
  if (caller.kind === 'anonymous' || sent.hash === undefined) return { ...access, caller }
  const { accounts, limits, noteUse } = view.deps
  accounts.learn(sent.hash, caller)
  const limited = view.countOnce(() => {
    const refusal = limits.forHubToken(caller.hubTokenId)
    if (refusal === undefined) noteUse(caller.hubTokenId, now)
    return refusal
  })
  return limited ?? { ...access, caller }
}

/** A caller without a name who is refused is not logged as one. */
export function outcomeOf<Result>(
  result: Result | Refusal,
  access: AccessFacts | Refusal,
): Outcome<Result> {
  if (isRefusal(access)) return { result }
  const { caller, refusedCaller } = access
  if (isRefusal(caller)) return { result, refusedCaller }
  return caller.kind === 'anonymous' && isRefusal(result) ? { result } : { result, caller }
}

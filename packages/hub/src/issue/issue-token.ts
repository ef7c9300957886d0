/** The job of a hub: a token request becomes a storage token, or a refusal. */

import {
  isRefusal,
  type Moment,
  type Refusal,
  refuse,
  type TokenPath,
  type UnixSeconds,
} from '@latchkey/protocol'
import { missingHubToken } from '../identity/identify-caller.ts'
import { noKeyToSign } from '../keys/no-key-to-sign.ts'
import { type Mint, type Minted, PreparedToken } from '../minting/mint-token.ts'
import { decidePermission, type Policy, type Wanted } from '../permission/decide-permission.ts'
import type { Permit } from '../permission/permit.ts'
import {
  type Authenticated,
  type Authenticating,
  authenticate,
  type Credentials,
  type Facts,
  type Outcome,
} from './authenticate.ts'
import type { KnownRequest, KnownRequests } from './known-requests.ts'
import { loggedRequest } from './logged-request.ts'
import { wantedRevision } from './wanted-revision.ts'

export interface TokenRequest extends Credentials {
  readonly path: TokenPath
  /** Under which it is remembered once it was permitted; undefined where it is not. */
  readonly key?: string | undefined
}

export interface Issuing extends Authenticating {
  readonly policy: Policy
  /** Whether the habits of Hugging Face clients are understood. */
  readonly compatible: boolean
  readonly mint: Mint
  /** What `mint` signs with is as new as the directory, once the promise settles; at once without one. */
  readonly followKeys: () => void | Promise<void>
  readonly canSign: () => boolean
  readonly known: KnownRequests
}

/** A permit, and the moment since when its facts may have changed. */
export interface Granted {
  readonly permit: Permit
  readonly learned: Moment
  /** Whether the same was asked for lately. */
  readonly isRecurring: boolean
}

export async function issueToken(
  request: TokenRequest,
  issuing: Issuing,
): Promise<Outcome<Minted>> {
  const keep = issuing.known.asking()
  const { result, caller, ...asked } = await checkTokenRequest(request, issuing)
  if (isRefusal(result)) return { result, caller, ...asked }
  const made = await mintGranted(result, request.now, issuing)
  if (isRefusal(made)) return { result: made, caller }
  // At the second time: a request that never comes again would only push out others.
  if (result.isRecurring && request.key !== undefined) {
    keep(request.key, asKnown(request, result.permit, made.token))
  }
  return { result: made.minted, caller }
}

export async function mintGranted(
  { permit, learned }: Pick<Granted, 'permit' | 'learned'>,
  now: UnixSeconds,
  issuing: Pick<Issuing, 'followKeys' | 'canSign' | 'isFresh' | 'mint'>,
): Promise<{ readonly token: PreparedToken; readonly minted: Minted } | Refusal> {
  const following = issuing.followKeys()
  if (following !== undefined) await following
  if (!issuing.canSign()) return noKeyToSign
  // Nothing is waited for between this look at the clock and the signature.
  if (!issuing.isFresh(learned)) return tooOld
  const token = new PreparedToken(permit, issuing.mint)
  return { token, minted: token.mint(now) }
}

function asKnown(
  { path }: TokenRequest,
  { permitted }: Permit,
  token: PreparedToken,
): KnownRequest {
  const { caller } = permitted
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

/** Every check of the token request; HEAD asks for nothing more. */
export function checkTokenRequest(
  request: TokenRequest,
  issuing: Issuing,
): Promise<Outcome<Granted>> {
  const { repo, scope } = request.path
  const revision = wantedRevision(request.path, issuing.compatible)
  return checkTarget(request, { repo, scope, revision }, issuing)
}

/** What a caller wants to do, and where. */
export type Target = Pick<Wanted, 'repo' | 'scope' | 'revision'>

export type Checking = Authenticating & Pick<Issuing, 'policy'>

export async function checkTarget(
  request: Credentials,
  { repo, scope, revision }: Target,
  issuing: Checking,
): Promise<Outcome<Granted>> {
  const asked = await authenticate(request, { repo, revision }, issuing)
  const { result: authenticated } = asked
  if (isRefusal(authenticated)) return { ...asked, result: authenticated }

  const { caller } = authenticated.facts
  const deciding = decideCurrently(authenticated, {
    isFresh: issuing.isFresh,
    decide: ({ asOf, caller, repository }) =>
      decidePermission({ caller, asOf, repo, repository, scope, revision }, issuing.policy),
  })
  const decision = deciding instanceof Promise ? await deciding : deciding
  if (isRefusal(decision) && caller.kind === 'anonymous') return refuseAnonymous(request, issuing)
  return { result: decision, caller }
}

interface Deciding extends Pick<Issuing, 'isFresh'> {
  readonly decide: (facts: Facts) => Permit | Refusal
}

/**
 * The hub refuses no caller by a cache that may be older than the request: what was granted a moment ago counts. Facts that became
 * too old while the request waited for them are asked for once more, because a busy database is not away.
 */
function decideCurrently(
  { facts, again }: Authenticated,
  { isFresh, decide }: Deciding,
): Granted | Refusal | Promise<Granted | Refusal> {
  const decision = decideBy(facts, decide)
  const isFinal = isRefusal(decision) ? facts.isCurrent : isFresh(decision.learned)
  return isFinal ? decision : decideAgain(again, decide)
}

async function decideAgain(
  again: Authenticated['again'],
  decide: Deciding['decide'],
): Promise<Granted | Refusal> {
  const current = await again()
  return isRefusal(current) ? current : decideBy(current, decide)
}

function decideBy(facts: Facts, decide: Deciding['decide']): Granted | Refusal {
  const decision = decide(facts)
  if (isRefusal(decision)) return decision
  const { learned, isRecurring } = facts
  return { permit: decision, learned, isRecurring }
}

/** The process stood still for long, and the directory may have changed meanwhile. */
const tooOld = refuse(
  'not_ready',
  'The hub does not know for certain how the directory is now. Try again in a moment.',
  { retryAfterSeconds: 1 },
)

/** Whoever gives no name learns nothing: everything but a readable public repository is the same 401. */
function refuseAnonymous({ address }: Credentials, { limits }: Checking): Outcome<Granted> {
  return { result: limits.forFailure(address()) ?? missingHubToken() }
}

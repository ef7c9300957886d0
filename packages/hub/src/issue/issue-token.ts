/** The job of a hub: a token request becomes a storage token, or a refusal. */

import {
  isRefusal,
  type Moment,
  type Refusal,
  refuse,
  type Scope,
  type TokenWord,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { FindRepository } from '../access/find-repository.ts'
import type { AccessFacts } from '../access/look-up.ts'
import { missingHubToken } from '../identity/identify-caller.ts'
import { noKeyToSign } from '../keys/key-state.ts'
import { type Mint, type MintedToken, PreparedToken } from '../minting/mint-token.ts'
import { storageMissing } from '../minting/storage-names.ts'
import type { WantedRevision } from '../permission/access-facts.ts'
import { decidePermission, type Policy } from '../permission/decide-permission.ts'
import type { Permit } from '../permission/permit.ts'
import {
  type About,
  type AuthenticateDeps,
  admitCaller,
  type Credentials,
  type DirectoryView,
  type Facts,
  findAccess,
  type Outcome,
  outcomeOf,
  readCredential,
} from './authenticate.ts'
import { decideUploads } from './decide-uploads.ts'

/** A caller's target: what it wants to do, and where. */
export interface TokenTarget extends About {
  readonly scope: Scope
  /** The time, where the caller uploads into its own ref, if it has opened one. */
  readonly uploadsAt?: UnixSeconds | undefined
}

export interface RevisionRequest {
  readonly revision: WantedRevision
  /** Undefined where the request names no token route. */
  readonly word?: TokenWord | undefined
}

export interface TokenRequest extends Credentials {
  readonly path: Omit<TokenTarget, 'revision'> & RevisionRequest
}

export interface IssueDeps extends AuthenticateDeps {
  readonly policy: Policy
  /** Whether the habits of Hugging Face clients are understood. */
  readonly compatible: boolean
  readonly findRepository: FindRepository
  readonly mint: Mint
  /** The signing key is as new as the directory, once the promise settles; at once without one. */
  readonly followKeys: () => void | Promise<void>
  readonly canSign: () => boolean
}

/** A permit, and the moment since when its facts may have changed. */
export interface GrantedRequest extends Pick<Facts, 'learned'> {
  readonly permit: Permit
}

/** The result of a token request that clients repeat often, kept for the next one. */
export interface IssuedToken extends Outcome<MintedToken> {
  readonly token?: PreparedToken | undefined
}

/** Each step's result is the next one's proof. A step that is given a refusal gives it on. */
export async function issueToken(
  request: TokenRequest,
  view: DirectoryView,
  deps: IssueDeps,
): Promise<IssuedToken> {
  const target = readTarget(request, deps)
  const credential = await readCredential(request, view)
  const access = await findAccess(credential, target, view)
  const caller = admitCaller(access, request, view)
  const granted = await decideTarget(caller, target, deps)
  const unsigned = await mintToken(granted, deps)
  const result = signToken(unsigned, request.now, deps)
  return { ...outcomeOf(result, access), token: recurring(unsigned, access) }
}

/** Every step but the token: HEAD asks for nothing more, and neither does a service that acts as its callers. */
export async function checkToken(
  request: TokenRequest,
  view: DirectoryView,
  deps: IssueDeps,
): Promise<Outcome<GrantedRequest>> {
  const target = readTarget(request, deps)
  const credential = await readCredential(request, view)
  const access = await findAccess(credential, target, view)
  const caller = admitCaller(access, request, view)
  return outcomeOf(await decideTarget(caller, target, deps), access)
}

function readTarget({ path }: TokenRequest, { compatible }: IssueDeps): TokenTarget {
  const { repo, scope, uploadsAt } = path
  return { repo, scope, revision: wantedRevision(path, compatible), uploadsAt }
}

/**
 * Hugging Face's Python client writes `None` where it means the default branch. On its own route it also repeats the
 * `HEAD` of its caller. No ref can have either name.
 */
export function wantedRevision(
  { revision, word }: RevisionRequest,
  compatible: boolean,
): WantedRevision {
  if (!compatible || revision.kind !== 'impossible') return revision
  const isDefault = revision.text === 'None' || (word === 'xet' && revision.text === 'HEAD')
  return isDefault ? { kind: 'default' } : revision
}

/** An upload for a proposal goes into the caller's own ref, if it has opened one and may read what it proposes to change. */
async function decideTarget(
  facts: Facts | Refusal,
  { repo, scope, revision, uploadsAt: now }: TokenTarget,
  { policy, findRepository }: IssueDeps,
): Promise<GrantedRequest | Refusal> {
  if (isRefusal(facts)) return facts
  const { caller, asOf, repository, learned } = facts
  const request = { caller, asOf, repo, repository, revision }
  if (now !== undefined && repo !== undefined) {
    const reading = decidePermission({ ...request, scope: 'read' }, policy)
    const uploads = isRefusal(reading)
      ? []
      : await decideUploads(facts, repo, { findRepository, policy, now })
    if (uploads[0] !== undefined) return { permit: uploads[0], learned }
  }
  const permit = decidePermission({ ...request, scope }, policy)
  if (!isRefusal(permit)) return { permit, learned }
  // A caller without a name learns nothing: everything but a readable public repository is the same 401.
  return caller.kind === 'anonymous' ? missingHubToken() : permit
}

/** A token that lacks its times, its id and its signature, and the moment since when its facts may have changed. */
export interface UnsignedToken extends Pick<GrantedRequest, 'learned'> {
  readonly token: PreparedToken
}

export type SignDeps = Pick<IssueDeps, 'isFresh' | 'followKeys' | 'canSign' | 'mint'>

export async function mintToken(
  granted: GrantedRequest | Refusal,
  { followKeys, mint }: SignDeps,
): Promise<UnsignedToken | Refusal> {
  if (isRefusal(granted)) return granted
  const { permit, learned } = granted
  const following = followKeys()
  if (following !== undefined) await following
  const storage = mint.storages.get(permit.permitted.storage)
  if (storage === undefined) return storageMissing(permit.permitted.storage)
  return { token: new PreparedToken(permit, mint, storage), learned }
}

/** Does not wait between reading the clock and signing. */
export function signToken(
  unsigned: UnsignedToken | Refusal,
  now: UnixSeconds,
  deps: SignDeps,
): MintedToken | Refusal {
  if (isRefusal(unsigned)) return unsigned
  const { token, learned } = unsigned
  return whyUnsigned(learned, deps) ?? token.sign(now)
}

/** Why nothing may be signed now; undefined where it may. */
export function whyUnsigned(
  learned: Moment,
  { canSign, isFresh }: Pick<SignDeps, 'canSign' | 'isFresh'>,
): Refusal | undefined {
  if (!canSign()) return noKeyToSign
  return isFresh(learned) ? undefined : tooOld
}

/** The process stood still for long, and the directory may have changed meanwhile. */
const tooOld = refuse(
  'not_ready',
  'The hub cannot read its database now, so it cannot decide. Try again in a moment.',
  { retryAfterSeconds: 1 },
)

/** Worth remembering at the second time: a request that never comes again would only push out others. */
function recurring(unsigned: UnsignedToken | Refusal, access: AccessFacts | Refusal) {
  return isRefusal(unsigned) || isRefusal(access) || !access.isRecurring
    ? undefined
    : unsigned.token
}

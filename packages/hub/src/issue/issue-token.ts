/** The job of a hub: a token request becomes a storage token, or a refusal. */

import { isRefusal, type TokenPath } from '@latchkey/protocol'
import { missingHubToken } from '../identity/identify-caller.ts'
import { noKeyToSign } from '../keys/no-key-to-sign.ts'
import { type Mint, type Minted, mintToken } from '../minting/mint-token.ts'
import { decidePermission, type Policy } from '../permission/decide-permission.ts'
import type { Permit } from '../permission/permit.ts'
import {
  type Authenticating,
  authenticate,
  type Credentials,
  type Outcome,
} from './authenticate.ts'
import { wantedRevision } from './wanted-revision.ts'

export interface TokenRequest extends Credentials {
  readonly path: TokenPath
}

export interface Issuing extends Authenticating {
  readonly policy: Policy
  /** Whether the habits of Hugging Face clients are understood. */
  readonly compatible: boolean
  readonly mint: Mint
  /** What `mint` signs with is as new as the directory, once the promise settles; at once without one. */
  readonly followKeys: () => void | Promise<void>
  readonly canSign: () => boolean
}

export async function issueToken(
  request: TokenRequest,
  issuing: Issuing,
): Promise<Outcome<Minted>> {
  const { result, ...asked } = await checkTokenRequest(request, issuing)
  if (isRefusal(result)) return { result, ...asked }
  const following = issuing.followKeys()
  if (following !== undefined) await following
  if (!issuing.canSign()) return { result: noKeyToSign, ...asked }
  return { result: mintToken(result, request.now, issuing.mint), ...asked }
}

/** Every check of the token request; HEAD asks for nothing more. */
export async function checkTokenRequest(
  request: TokenRequest,
  issuing: Issuing,
): Promise<Outcome<Permit>> {
  const { repo, scope } = request.path
  const revision = wantedRevision(request.path, issuing.compatible)

  const { result: authenticated, ...asked } = await authenticate(
    request,
    { repo, revision },
    issuing,
  )
  if (isRefusal(authenticated)) return { result: authenticated, ...asked }

  const { caller, asOf, repository } = authenticated
  const wanted = { caller, repo, asOf, repository, scope, revision }
  const decision = decidePermission(wanted, issuing.policy)
  if (isRefusal(decision) && caller.kind === 'anonymous') return refuseAnonymous(request, issuing)
  return { result: decision, caller }
}

/** Whoever gives no name learns nothing: everything but a readable public repository is the same 401. */
function refuseAnonymous({ address }: TokenRequest, { limits }: Issuing): Outcome<Permit> {
  return { result: limits.forFailure(address()) ?? missingHubToken() }
}

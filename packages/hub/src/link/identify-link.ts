/** Security boundary: recognises the storage or the forge that asks, by its embedded credential or a hub token of its kind. */

import type { IncomingMessage } from 'node:http'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { type Identify, sentCredential } from '../http/identify.ts'
import type { Caller } from '../identity/caller.ts'
import type { EmbeddedCredential } from '../identity/embedded-credential.ts'
import type { Outcome } from '../issue/authenticate.ts'
import type { RequestLimits } from '../issue/request-limits.ts'

/** A storage or forge that the hub's own process starts has no account. */
export type LinkIdentity = Caller | 'embedded'

export type LinkKind = 'storage' | 'forge'

export type IdentifyLink = (request: IncomingMessage) => Promise<Outcome<LinkIdentity>>

export interface Identifying {
  readonly kind: LinkKind
  /** Counts failures by address, and no right hub token: every upload and every download asks the hub. */
  readonly identify: Identify
  readonly embedded: Pick<EmbeddedCredential, 'isOf'>
  readonly limits: Pick<RequestLimits, 'forHubToken'>
}

/** Each kind opens the routes of its own, and none of the other. */
export function linkIdentifier({ kind, identify, embedded, limits }: Identifying): IdentifyLink {
  return async (request) => {
    const { hash } = sentCredential(request)
    if (hash !== undefined && embedded.isOf(hash)) return { result: 'embedded' }
    const { result, ...logFields } = await identify(request)
    if (isRefusal(result)) return { result, ...logFields }
    const { caller } = result
    if (caller.kind === kind) return { result: caller, caller }
    return { result: limits.forHubToken(caller.hubTokenId) ?? otherKind(caller, kind), caller }
  }
}

function otherKind({ kind }: Caller, wantedKind: LinkKind): Refusal {
  return refuse(
    'permission_denied',
    `This part of the link takes hub tokens of kind ${wantedKind}; this one is ${kind}. Use the one that was made for the ${wantedKind}.`,
    { missing: `a hub token of kind ${wantedKind}` },
  )
}

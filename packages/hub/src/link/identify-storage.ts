/** Security boundary: recognises the storage that asks, by the embedded credential or a hub token of kind `storage`. */

import type { IncomingMessage } from 'node:http'
import { isRefusal, type Refusal, readBearer, refuse, Secret } from '@latchkey/protocol'
import { headerValues } from '@latchkey/service/http/headers'
import type { Identify } from '../http/identify.ts'
import type { Caller } from '../identity/caller.ts'
import type { EmbeddedCredential } from '../identity/embedded-credential.ts'
import type { Outcome } from '../issue/authenticate.ts'
import type { RequestLimits } from '../issue/request-limits.ts'

/** The storage of this hub's own process has no account. */
export type StorageCaller = Caller | 'embedded'

export type IdentifyStorage = (request: IncomingMessage) => Promise<Outcome<StorageCaller>>

export interface Identifying {
  /** Counts failures by address, and no right hub token: every upload of a storage asks the hub. */
  readonly identify: Identify
  readonly embedded: Pick<EmbeddedCredential, 'isSame'>
  readonly limits: Pick<RequestLimits, 'forHubToken'>
}

export function storageIdentifier({ identify, embedded, limits }: Identifying): IdentifyStorage {
  return async (request) => {
    const bearer = readBearer(headerValues(request.rawHeaders, 'authorization'))
    const isEmbedded =
      typeof bearer === 'object' && embedded.isSame(new Secret('hub-token', bearer.token))
    if (isEmbedded) return { result: 'embedded' }
    const { result, ...logFields } = await identify(request)
    if (isRefusal(result)) return { result, ...logFields }
    const { caller } = result
    if (caller.kind === 'storage') return { result: caller, caller }
    return { result: limits.forHubToken(caller.hubTokenId) ?? noStorage(caller), caller }
  }
}

function noStorage({ kind }: Caller): Refusal {
  return refuse(
    'permission_denied',
    `The link takes hub tokens of kind storage; this one is ${kind}. Use the one that was made for the storage.`,
    { missing: 'a hub token of kind storage' },
  )
}

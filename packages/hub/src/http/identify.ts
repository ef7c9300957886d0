/** Who sends a request that is about no repository: its hub token tells, and nothing else. */

import type { IncomingMessage } from 'node:http'
import { type Clock, isRefusal } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/client-address'
import {
  type About,
  type Authenticating,
  authenticate,
  type Facts,
  type Outcome,
} from '../issue/authenticate.ts'
import { credentialsOf } from './request-headers.ts'

export type Identify = (request: IncomingMessage) => Promise<Outcome<Facts>>

export function identifyBy(
  authenticating: Authenticating,
  clientAddress: ClientAddress,
  clock: Clock,
): Identify {
  const nothing: About = { repo: undefined, revision: { kind: 'default' } }
  const named = { ...authenticating, admitsAnonymous: false }
  return async (request) => {
    const credentials = credentialsOf(request, clientAddress, clock())
    const { result, ...asked } = await authenticate(credentials, nothing, named)
    if (isRefusal(result)) return { result, ...asked }
    const { facts, again } = result
    // The row of a caller who manages the directory is read from the database, not from a cache: a change cannot be undone.
    return { result: facts.isCurrent ? facts : await again(), ...asked }
  }
}

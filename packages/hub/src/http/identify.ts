/** Who sends a request that is about no repository: its hub token tells, and nothing else. */

import type { IncomingMessage } from 'node:http'
import type { Clock } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/client-address'
import {
  type About,
  type Authenticated,
  type Authenticating,
  authenticate,
  type Outcome,
} from '../issue/authenticate.ts'
import { credentialsOf } from './request-headers.ts'

export type Identify = (request: IncomingMessage) => Promise<Outcome<Authenticated>>

export function identifyBy(
  authenticating: Authenticating,
  clientAddress: ClientAddress,
  clock: Clock,
): Identify {
  const nothing: About = { repo: undefined, revision: { kind: 'default' } }
  const named = { ...authenticating, admitsAnonymous: false }
  return (request) => authenticate(credentialsOf(request, clientAddress, clock()), nothing, named)
}

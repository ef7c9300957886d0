/** Who sends a request that is about no repository: its hub token tells, and nothing else. */

import type { IncomingMessage } from 'node:http'
import type { Clock } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/client-address'
import type { About, AuthenticateDeps, Facts, Outcome } from '../issue/authenticate.ts'
import { authenticateCurrently } from '../issue/with-fresh-facts.ts'
import { credentialsOf } from './request-headers.ts'

export type Identify = (request: IncomingMessage) => Promise<Outcome<Facts>>

const about: About = { repo: undefined, revision: { kind: 'default' } }

export function identifyBy(
  authenticating: AuthenticateDeps,
  clientAddress: ClientAddress,
  clock: Clock,
): Identify {
  const named = { ...authenticating, admitsAnonymous: false }
  return (request) => {
    const credentials = credentialsOf(request, clientAddress, clock())
    return authenticateCurrently({ ...credentials, about }, named)
  }
}

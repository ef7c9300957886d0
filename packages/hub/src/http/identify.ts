/** The credentials of a request, straight from the wire, and its caller where it is about no repository. */

import type { IncomingMessage } from 'node:http'
import type { Clock, UnixSeconds } from '@latchkey/protocol'
import { type ClientAddress, networkOf } from '@latchkey/service/http/addresses'
import { headerValues } from '@latchkey/service/http/headers'
import { readSent, type SentCredential } from '../identity/read-credential.ts'
import type { About, AuthenticateDeps, Credentials, Facts, Outcome } from '../issue/authenticate.ts'
import { authenticateCurrently } from '../issue/with-fresh-facts.ts'

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

export function credentialsOf(
  request: IncomingMessage,
  clientAddress: ClientAddress,
  now: UnixSeconds,
): Credentials {
  const address = () => networkOf(clientAddress(request))
  return { sent: sentCredential(request), address, now }
}

const sent = Symbol('what its Authorization headers say')

interface ReadRequest extends IncomingMessage {
  [sent]?: SentCredential
}

/** Read and hashed once for a request: its turn in the queue depends on it, and its response. */
export function sentCredential(request: ReadRequest): SentCredential {
  request[sent] ??= readSent(headerValues(request.rawHeaders, 'authorization'))
  return request[sent]
}

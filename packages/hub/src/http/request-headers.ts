/** The credentials of a request, straight from the wire. */

import type { IncomingMessage } from 'node:http'
import type { UnixSeconds } from '@latchkey/protocol'
import { type ClientAddress, networkOf } from '@latchkey/service/http/client-address'
import { headerValues } from '@latchkey/service/http/header-list'
import { readSent, type SentCredential } from '../identity/read-credential.ts'
import type { Credentials } from '../issue/authenticate.ts'

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

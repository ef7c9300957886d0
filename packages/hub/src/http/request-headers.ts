/** The credentials of a request, straight from the wire. */

import type { IncomingMessage } from 'node:http'
import type { UnixSeconds } from '@latchkey/protocol'
import { type ClientAddress, networkOf } from '@latchkey/service/client-address'
import { headerValues } from '@latchkey/service/header-list'
import type { Credentials } from '../issue/authenticate.ts'

export function credentialsOf(
  request: IncomingMessage,
  clientAddress: ClientAddress,
  now: UnixSeconds,
): Credentials {
  const authorization = headerValues(request.rawHeaders, 'authorization')
  return { authorization, address: () => networkOf(clientAddress(request)), now }
}

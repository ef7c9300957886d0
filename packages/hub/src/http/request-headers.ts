/** The credentials of a request, straight from the wire. */

import type { IncomingMessage } from 'node:http'
import type { UnixSeconds } from '@latchkey/protocol'
import { type ClientAddress, networkOf } from '@latchkey/service/http/client-address'
import { headerValues } from '@latchkey/service/http/header-list'
import { hashBearer } from '../identity/read-credential.ts'
import type { Credentials } from '../issue/authenticate.ts'

export function credentialsOf(
  request: IncomingMessage,
  clientAddress: ClientAddress,
  now: UnixSeconds,
): Credentials {
  const authorization = headerValues(request.rawHeaders, 'authorization')
  return { authorization, address: () => networkOf(clientAddress(request)), now }
}

const bearerHash = Symbol('the hash of the bearer credential')

interface HashedRequest extends IncomingMessage {
  /** Null without exactly one bearer credential. */
  [bearerHash]?: string | null
}

/** Computed once for a request: its turn in the queue depends on it, and its answer. */
export function bearerHashOf(request: HashedRequest): string | undefined {
  const known = request[bearerHash]
  if (known !== undefined) return known ?? undefined
  const hash = hashBearer(headerValues(request.rawHeaders, 'authorization'))
  request[bearerHash] = hash ?? null
  return hash
}

/** What the hub reads from request headers, straight from the wire. */

import type { IncomingMessage } from 'node:http'
import type { UnixSeconds } from '@latchkey/protocol'
import type { Credentials } from '../issue/authenticate.ts'
import type { ClientAddress } from './client-address.ts'

export function credentialsOf(
  request: IncomingMessage,
  clientAddress: ClientAddress,
  now: UnixSeconds,
): Credentials {
  const authorization = headerValues(request, 'authorization')
  return { authorization, address: () => clientAddress(request), now }
}

/** Every value of a header: Node's own `headers` keeps the first and hides the rest. */
export function headerValues({ rawHeaders }: IncomingMessage, lowerCaseName: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) {
      values.push(rawHeaders[index + 1] ?? '')
    }
  }
  return values
}

/** Whether the client names plain JSON and not the problem format. */
export function wantsPlainJson({ headers }: IncomingMessage): boolean {
  const accept = headers.accept ?? ''
  return accept.includes('application/json') && !accept.includes('application/problem+json')
}

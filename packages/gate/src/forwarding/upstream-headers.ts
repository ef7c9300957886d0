/** The headers of a request as the storage gets them: the client's, minus what is not the client's to say, plus who is let in. */

import { headerValues } from '@latchkey/service/request-headers'
import type { Grant } from '../grant/grant.ts'
import { identityHeaders } from '../grant/identity-headers.ts'
import { hopHeaders } from './hop-headers.ts'

export interface Sent {
  readonly grant: Grant
  readonly requestId: string
  readonly address: string
  /** What clients put before the path that is handed on. */
  readonly prefix: string
}

/** Said anew by the gateway, or not at all. */
const ours =
  /^(?:host|authorization|forwarded|x-(?:forwarded|original|envoy|override)-.*|x-real-ip|(?:x|true)-client-ip|x-request-id)$/

/** Some servers read every other character as `-`, so that such a name could pass for another header. */
const ambiguous = /[^a-z0-9-]/

export function upstreamHeaders(
  audience: string,
): (headers: readonly string[], sent: Sent) => string[] {
  const { host, protocol } = new URL(audience)
  const scheme = protocol.slice(0, -1)
  return (headers, { grant, requestId, address, prefix }) => {
    const dropped = hopHeaders(headerValues(headers, 'connection').join(',') || undefined)
    const kept: string[] = []
    for (let index = 0; index < headers.length; index += 2) {
      const name = (headers[index] ?? '').toLowerCase()
      if (dropped.has(name) || ours.test(name) || ambiguous.test(name)) continue
      kept.push(name, headers[index + 1] ?? '')
    }
    kept.push(...identityHeaders(grant))
    kept.push('X-Request-Id', requestId, 'X-Forwarded-For', address)
    kept.push('X-Forwarded-Proto', scheme, 'X-Forwarded-Host', host)
    if (prefix !== '') kept.push('X-Forwarded-Prefix', prefix)
    return kept
  }
}

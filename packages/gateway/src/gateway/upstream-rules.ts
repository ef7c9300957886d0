/** The headers that the gateway sends to the storage, and its refusals when the storage fails. */

import type { Grant } from '@latchkey/gate'
import { identityHeaders, namesIdentity } from '@latchkey/gate/headers'
import { refuse } from '@latchkey/protocol'
import {
  type ForwardedRequest,
  forwardedHeaders,
  requestHeaders,
  type UpstreamRefusals,
} from '@latchkey/service/http/forwarding'
import type { HeaderList } from '@latchkey/service/http/headers'

export interface UpstreamHeaders extends ForwardedRequest {
  readonly grant: Grant
}

/** The client's, without those that proxies set and without its token, and with the grant. */
export function upstreamHeaders(
  audience: string,
): (headers: HeaderList, sent: UpstreamHeaders) => string[] {
  const clientHeadersOf = requestHeaders(['authorization'])
  const ownHeadersOf = forwardedHeaders(audience)
  return (headers, { grant, ...forwarded }) => {
    const outgoing = clientHeadersOf(headers)
    outgoing.push(...identityHeaders(grant), ...ownHeadersOf(forwarded))
    return outgoing
  }
}

const badTrailer = refuse(
  'bad_request',
  'Trailers that begin with Latchkey- are not accepted. Leave them out.',
)

export const upstreamRefusals: UpstreamRefusals = {
  unreachable: refuse(
    'upstream_unreachable',
    'The storage behind the gate cannot be reached, or it ended the connection. Try again; its operator finds the request id in the log.',
    { retryAfterSeconds: 1 },
  ),
  timeout: refuse(
    'upstream_timeout',
    'The storage behind the gate did not answer in time. Try again; its operator finds the request id in the log.',
  ),
  trailer: (name) => (namesIdentity(name) ? badTrailer : undefined),
}

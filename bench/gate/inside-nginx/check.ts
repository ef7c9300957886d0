/** The check as a script of nginx: the gate's own steps, for a location that `auth_request` asks. */

import './language.ts'
import {
  answerRefusal,
  idFromBytes,
  idLength,
  isRefusal,
  type Refusal,
  readBearer,
  refuse,
  standardScope,
  storageAddress,
  type UnixSeconds,
} from '@latchkey/protocol'
import { authorise } from '../../../packages/gate/src/check/authorise.ts'
import { type Grant, grantOf, identityHeaders } from '../../../packages/gate/src/grant/grant.ts'
import { placeByPrefix } from '../../../packages/gate/src/place/locate.ts'
import { type GateRequest, readRequest } from '../../../packages/gate/src/request/read-request.ts'
import { tokenInvalid, tokenMissing } from '../../../packages/gate/src/token/token-refusals.ts'
import { readJws } from '../../../packages/token/src/jws.ts'
import type { KeySet } from '../../../packages/token/src/key-set.ts'
import { verifyToken } from '../../../packages/token/src/verify-token.ts'
import { settings } from './settings.ts'

/** As njs gives it, the subrequest of `auth_request`: its variables are those of the client's request. */
interface NginxRequest {
  readonly variables: { readonly request_method: string; readonly request_uri: string }
  readonly rawHeadersIn: readonly (readonly [name: string, value: string])[]
  readonly headersOut: Record<string, string>
  return(status: number): void
}

const { issuer, casUrl, leewaySeconds, now } = settings
const { audience } = storageAddress(casUrl)
const { host: authority } = new URL(audience)
const placeOf = placeByPrefix(casUrl, undefined)
/** `verifyToken` looks for one key, and hands it to `isSignedBy`, whose place another function has here. */
const keys = { get: (kid: string) => settings.keys[kid] } as unknown as KeySet

async function check(r: NginxRequest): Promise<void> {
  const judged = await judge({
    method: r.variables.request_method,
    target: r.variables.request_uri,
    headers: namesAndValues(r),
  })
  if (isRefusal(judged)) return answerNo(r, judged)
  setHeaders(r, identityHeaders(judged))
  r.return(200)
}

/** In the order in which `createGate` looks for refusals. */
async function judge(given: GateRequest): Promise<Grant | Refusal> {
  const request = readRequest(given, authority)
  if (isRefusal(request)) return request
  const place = placeOf(request)
  const wanted = standardScope(request.method, place?.path ?? request.path)
  const grant = await verify(request.authorization)
  if (isRefusal(grant)) return grant
  const addressed = authorise(grant, wanted, place)
  return isRefusal(addressed) ? addressed : grant
}

async function verify(authorization: readonly string[]): Promise<Grant | Refusal> {
  const bearer = readBearer(authorization)
  if (bearer === 'missing') return tokenMissing
  if (bearer === 'malformed') return tokenInvalid('malformed')
  const { token } = bearer
  const clock = (now ?? Math.floor(Date.now() / 1000)) as UnixSeconds
  const expected = { keys, issuer, audience, leewaySeconds, now: clock }
  const verified = await verifyToken(token, expected)
  if (verified.ok) return grantOf(verified.claims, verified.kid)
  const isUnreadable = verified.reason === 'forged' && readJws(token)?.alg === 'EdDSA'
  return isUnreadable ? unverifiable : tokenInvalid(verified.reason)
}

/** Security boundary: a token that cannot be verified here is refused, whoever signed it. */
const unverifiable = refuse(
  'storage_token_invalid',
  'The storage token is signed with EdDSA, which the script of this nginx cannot verify. Let the hub sign with ES256.',
)

function namesAndValues({ rawHeadersIn }: NginxRequest): readonly string[] {
  const headers: string[] = []
  for (const [name, value] of rawHeadersIn) headers.push(name, value)
  return headers
}

/** `auth_request` hands on 401 and 403 alone; the configuration answers with the status and the document of the headers. */
function answerNo(r: NginxRequest, refusal: Refusal): void {
  const requestId = idFromBytes(crypto.getRandomValues(new Uint8Array(idLength)))
  const { status, headers, body } = answerRefusal(refusal, {
    requestId,
    everyRequestHasBearer: true,
  })
  setHeaders(r, headers)
  setHeaders(r, ['Latchkey-Status', String(status), 'Latchkey-Problem', body])
  r.return(status === 401 ? 401 : 403)
}

function setHeaders({ headersOut }: NginxRequest, headers: readonly string[]): void {
  for (let index = 0; index < headers.length; index += 2) {
    headersOut[headers[index] ?? ''] = headers[index + 1] ?? ''
  }
}

// njs takes a default export alone.
export default { check }

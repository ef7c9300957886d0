/**
 * Common part of all adapters, before their handler: preflights answered, requests checked,
 * refusals turned into responses.
 */

import {
  type Answer,
  answerRefusal,
  type Cors,
  createCors,
  isPreflight,
  type OptionTypes,
  type Refusal,
  refuse,
  refuseOptions,
} from '@latchkey/protocol'
import { headerValues, joinedValues, wantsPlainJson } from '@latchkey/service/http/headers'
import { CannotStart } from '@latchkey/service/machine/errors'
import { idsFrom, pooledRandom } from '@latchkey/service/machine/random'
import type { Admission, CheckResult, Gate } from '../check/create-gate.ts'
import type { Grant } from '../grant/grant.ts'
import { type GateRequest, type RawRequest, withRawHeaders } from '../request/read-request.ts'

export { withRawHeaders } from '../request/read-request.ts'

export interface AuthenticatorOptions {
  /**
   * Web origins whose pages may use the storage; `*` is every one.
   *
   * @default []
   */
  readonly origins?: readonly string[]
  /**
   * Called when `locate`, `isRevoked` or the platform failed; the request is then refused with 500.
   * By default the error is printed.
   *
   * @default console.error
   */
  readonly onFailure?: (error: unknown) => void
}

export const authenticatorTypes: OptionTypes<AuthenticatorOptions> = {
  origins: 'object',
  onFailure: 'function',
}

export type AuthenticationResult =
  | {
      readonly ok: true
      readonly admitted: Admission
      readonly requestId: string
      /** Goes with the handler's answer, names and values in turn. */
      readonly headers: readonly string[]
    }
  | {
      readonly ok: false
      readonly answer: Answer
      readonly requestId: string
      /** Undefined for a preflight, which is answered without being judged. */
      readonly refusal: Refusal | undefined
      readonly grant?: Grant | undefined
    }

export type Authenticator = (request: GateRequest) => Promise<AuthenticationResult>

const cors = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  requestHeaders: [
    ...['Authorization', 'Content-Type', 'Range', 'X-Xet-Session-Id', 'X-Request-Id'],
    // Clients send these with plain files to the embedded storage.
    ...['If-Range', 'Content-Range', 'Repr-Digest'],
  ],
  exposed: [
    ...['Date', 'ETag', 'Content-Range', 'Accept-Ranges', 'Retry-After', 'RateLimit'],
    ...['X-Request-Id', 'X-Error-Code', 'X-Error-Message', 'WWW-Authenticate'],
    // Of the embedded storage: whether a file is registered where the token writes.
    'X-Latchkey-Registered',
    ...['Upload-Offset', 'Upload-Complete'],
  ],
}

/** The CORS rules of a storage for pages of these origins. */
export function storageCors(origins: readonly string[]): Cors {
  return createCors({ origins, ...cors })
}

/** A request for a public route, which has no grant. */
export interface PublicResult {
  readonly ok: true
  readonly admitted: undefined
  readonly requestId: string
  readonly headers: readonly string[]
}

/** Every request needs a token, also for a public route. */
export function authenticator(gate: Gate, options: AuthenticatorOptions = {}): Authenticator {
  return receiver<never>(gate, options, () => false)
}

/** Like `authenticator`, but the token of a request for a public route is neither needed nor read. */
export function publicAuthenticator(
  gate: Gate,
  options: AuthenticatorOptions = {},
): (request: GateRequest) => Promise<AuthenticationResult | PublicResult> {
  return receiver<PublicResult>(
    gate,
    options,
    (request, more) => gate.isPublic(request) && { ok: true, admitted: undefined, ...more },
  )
}

function receiver<Public extends PublicResult>(
  gate: Gate,
  options: AuthenticatorOptions,
  publicResult: (
    request: RawRequest,
    more: Pick<PublicResult, 'requestId' | 'headers'>,
  ) => Public | false,
): (request: GateRequest) => Promise<AuthenticationResult | Public> {
  refuseOptions('authenticator', options, authenticatorTypes, CannotStart)
  const { origins = [], onFailure = console.error } = options
  const { headersFor, preflightHeadersFor } = storageCors(origins)
  const newId = idsFrom(pooledRandom())
  return async (gateRequest) => {
    const request = withRawHeaders(gateRequest)
    const requestId = newId()
    const [origin] =
      origins.length === 0 && request.method !== 'OPTIONS'
        ? []
        : headerValues(request.headers, 'origin')
    if (isPreflight({ method: request.method, origin, requestMethod: requestMethodOf(request) })) {
      const headers = ['X-Request-Id', requestId, 'Cache-Control', 'no-store']
      const answer = emptyAnswer(204, [...headers, ...preflightHeadersFor(origin)])
      return { ok: false, answer, requestId, refusal: undefined }
    }
    const open = publicResult(request, { requestId, headers: headersFor(origin) })
    if (open !== false) return open
    const checked = await gate.check(request).catch((error: unknown): CheckResult => {
      onFailure(error)
      return { ok: false, refusal: gateFailed }
    })
    if (checked.ok) return { ok: true, admitted: checked, requestId, headers: headersFor(origin) }
    const answer = answerFor(checked.refusal, request, requestId)
    const headers = [...answer.headers, ...headersFor(origin)]
    const { refusal, grant } = checked
    return { ok: false, answer: { ...answer, headers }, requestId, refusal, grant }
  }
}

const gateFailed = refuse(
  'internal_error',
  'The gate could not find out whether this request may pass. Try again; its operator finds the reason in the log.',
)

/** A refusal as the storage's side of the protocol answers it. */
export function answerFor(refusal: Refusal, request: RawRequest, requestId: string): Answer {
  const plainJson = wantsPlainJson(joinedValues(request.headers, 'accept'))
  return answerRefusal(refusal, { requestId, plainJson, everyRequestHasBearer: true })
}

function requestMethodOf({ method, headers }: RawRequest): string | undefined {
  if (method !== 'OPTIONS') return undefined
  return headerValues(headers, 'access-control-request-method')[0]
}

function emptyAnswer(status: number, headers: readonly string[]): Answer {
  return { status, headers, body: '', encoding: 'latin1' }
}

export interface AdmittedRequest extends Admission {
  /**
   * Aborted when the token is revoked while the request runs, or the gate can no longer know whether it is. Pass it to
   * whatever the handler waits for. Its reason is a `RequestAbortedError`.
   */
  readonly signal: AbortSignal
}

/** Why the gate ended a request that it had admitted. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

interface RequestWatch {
  readonly admitted: AdmittedRequest
  /** To be called when the request is over. */
  end(): void
}

/** `onCut` is called after the signal was aborted. */
export function watchRequest(
  gate: Gate,
  admitted: Admission,
  onCut: (refusal: Refusal) => void,
): RequestWatch {
  const controller = new AbortController()
  const end = gate.watch(admitted.grant, (refusal) => {
    controller.abort(new RequestAbortedError(refusal))
    onCut(refusal)
  })
  return { admitted: { ...admitted, signal: controller.signal }, end }
}

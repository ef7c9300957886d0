/** The token request on the wire: read from the raw request, answered without the table of routes. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Answer,
  type AnyId,
  answerRefusal,
  type Clock,
  isRefusal,
  parseTokenPath,
  type Refusal,
  refuse,
  type TokenPath,
} from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { wantsPlainJson } from '@latchkey/service/http/headers'
import { internalError, unavailableRefusal } from '@latchkey/service/http/refusals'
import { failureOf } from '@latchkey/service/observe/log'
import type { Credentials, Outcome } from '../issue/authenticate.ts'
import { asksForUpload } from '../issue/decide-uploads.ts'
import type { GrantedRequest, IssueDeps } from '../issue/issue-token.ts'
import { checkFresh } from '../issue/with-fresh-facts.ts'
import { type KnownDeps, keyOf, tokens } from '../issue/with-known.ts'
import type { MintedToken } from '../minting/mint-token.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { HubCors } from './cors.ts'
import { credentialsOf } from './identify.ts'
import type { RequestOutcome, WriteDown } from './write-down.ts'

export interface TokenRoute {
  readonly issuing: KnownDeps
  readonly cors: HubCors
  readonly clientAddress: ClientAddress
  readonly clock: Clock
  readonly newRequestId: () => AnyId
  readonly log: HubLog
  readonly writeDown: WriteDown
}

/** One token request: what is asked, and under which id it is answered and logged. */
interface Exchange extends Credentials {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: AnyId
  readonly started: number
  /** Under which it is remembered once it was permitted. */
  readonly key: string | undefined
}

/** Gives false, and has done nothing, where the request asks for no token. */
export type ServeTokenRequest = (request: IncomingMessage, response: ServerResponse) => boolean

export function serveTokenRequest(route: TokenRoute): ServeTokenRequest {
  // A mistake of ours costs one connection, not the process.
  const fail = ({ response }: Exchange, error: unknown) => {
    route.log('request_failed', failureOf(error))
    response.destroy()
  }
  return (request, response) => {
    if (!mayAskForToken(request.url ?? '')) return false
    const exchange = begin(request, response, route)
    try {
      if (serveKnown(exchange, route)) return true
    } catch (error) {
      fail(exchange, error)
      return true
    }
    const path = tokenPathOf(request.url ?? '', route.issuing)
    if (path === undefined) return false
    serveAnew(exchange, path, route).catch((error) => fail(exchange, error))
    return true
  }
}

/** The handler reads no more of most other targets. */
function mayAskForToken(target: string): boolean {
  return target.includes('-token/')
}

function begin(
  request: IncomingMessage,
  response: ServerResponse,
  { clientAddress, clock, newRequestId }: TokenRoute,
): Exchange {
  const { sent, address, now } = credentialsOf(request, clientAddress, clock())
  const { method, url = '' } = request
  return {
    request,
    response,
    requestId: newRequestId(),
    started: performance.now(),
    key: method === 'GET' && sent.hash !== undefined ? keyOf(sent.hash, url) : undefined,
    sent,
    address,
    now,
  }
}

/** False where the request is not known, or not as it was: then it is read and decided anew. */
function serveKnown(
  exchange: Exchange,
  { issuing, cors, clientAddress, writeDown }: TokenRoute,
): boolean {
  const { key, now, requestId } = exchange
  const issued = key === undefined ? undefined : tokens.issueKnown(key, now, issuing)
  if (issued === undefined) return false
  const { minted, request } = issued
  send(answerMinted(minted, request.path, requestId), exchange, cors)
  writeDown.issuedAgain(minted, request, answered(exchange, clientAddress))
  return true
}

async function serveAnew(exchange: Exchange, path: TokenPath, route: TokenRoute): Promise<void> {
  const { issuing, cors, clientAddress, writeDown } = route
  let outcome: Outcome<MintedToken | GrantedRequest>
  try {
    outcome = await decide(exchange, path, route)
  } catch (error) {
    outcome = { result: explain(error, exchange, route) }
  }
  send(answer(outcome, path, exchange, issuing), exchange, cors)
  writeDown.outcome(outcome, path, answered(exchange, clientAddress))
}

/** The alias that Hugging Face clients build themselves is a route only in compatibility mode. */
function tokenPathOf(target: string, { compatible }: IssueDeps): TokenPath | undefined {
  const path = parseTokenPath(target)
  return path?.word === 'xet' && !compatible ? undefined : path
}

async function decide(
  { request: { method, url = '' }, sent, address, now, key }: Exchange,
  path: TokenPath,
  { issuing }: TokenRoute,
): Promise<Outcome<MintedToken | GrantedRequest>> {
  if (method !== 'GET' && method !== 'HEAD') return { result: methodNotAllowed(method) }
  const uploadsAt = asksForUpload(path, url) ? now : undefined
  const request = { path: { ...path, uploadsAt }, sent, address, now, key }
  return method === 'GET' ? tokens.issueAnew(request, issuing) : checkFresh(request, issuing)
}

function explain(error: unknown, { requestId }: Exchange, { log }: TokenRoute): Refusal {
  const refusal = unavailableRefusal(error, 'hub')
  if (refusal !== undefined) return refusal
  log('request_failed', { requestId, ...failureOf(error) })
  return internalError('hub')
}

function answer(
  { result }: Outcome<MintedToken | GrantedRequest>,
  path: TokenPath,
  { request, requestId }: Exchange,
  { compatible }: IssueDeps,
): Answer {
  if (!isRefusal(result)) {
    return 'accessToken' in result
      ? answerMinted(result, path, requestId)
      : answerChecked(requestId)
  }
  const plainJson = compatible || wantsPlainJson(request.headers.accept)
  return answerRefusal(result, { requestId, plainJson })
}

function send({ status, headers, body, encoding }: Answer, exchange: Exchange, cors: HubCors) {
  const { request, response } = exchange
  response.writeHead(status, headers.concat(cors.headersFor(request)))
  response.end(body, encoding)
}

function answered(
  { request, requestId, started }: Exchange,
  addressOf: ClientAddress,
): RequestOutcome {
  return { requestId, milliseconds: performance.now() - started, address: addressOf(request) }
}

function methodNotAllowed(method: string | undefined) {
  return refuse('method_not_allowed', `Request a storage token with GET, not with ${method}.`, {
    allow: 'GET, HEAD',
  })
}

/** Put together by hand: a token and a number need no escaping, and the address is JSON already. */
function answerMinted(
  minted: MintedToken,
  { word }: Pick<TokenPath, 'word'>,
  requestId: string,
): Answer {
  const accessToken = minted.accessToken.reveal()
  const { exp, casUrl, casUrlJson } = minted
  const body = `{"accessToken":"${accessToken}","exp":${exp},"casUrl":${casUrlJson}}`
  const headers = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(body.length),
    'X-Request-Id',
    requestId,
    'Cache-Control',
    'no-store',
  ]
  // Hugging Face's Python client reads the token from headers only.
  if (word === 'xet') {
    headers.push('X-Xet-Cas-Url', casUrl, 'X-Xet-Access-Token', accessToken)
    headers.push('X-Xet-Token-Expiration', String(exp))
  }
  return { status: 200, headers, body, encoding: 'latin1' }
}

/** HEAD: everything was checked, nothing was minted. */
function answerChecked(requestId: string): Answer {
  return {
    status: 200,
    headers: [
      'Content-Type',
      'application/json',
      'X-Request-Id',
      requestId,
      'Cache-Control',
      'no-store',
    ],
    body: '',
    encoding: 'latin1',
  }
}

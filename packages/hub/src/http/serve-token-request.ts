/** The token request on the wire: read from the raw request, answered without a framework. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, isRefusal, refuse, type TokenPath } from '@latchkey/protocol'
import { newId, type RandomBytes } from '../identity/random.ts'
import type { Outcome } from '../issue/authenticate.ts'
import { checkTokenRequest, type Issuing, issueToken } from '../issue/issue-token.ts'
import type { Minted } from '../minting/mint-token.ts'
import { failureOf, type Log } from '../operations/log.ts'
import type { Permit } from '../permission/permit.ts'
import type { ClientAddress } from './client-address.ts'
import type { Cors } from './cors.ts'
import { type Answer, answerRefusal, hubFailed } from './refusal-answer.ts'
import { credentialsOf, wantsPlainJson } from './request-headers.ts'
import { answerChecked, answerMinted } from './token-answer.ts'
import type { WriteDown } from './write-down.ts'

export interface TokenRoute {
  readonly issuing: Issuing
  readonly cors: Cors
  readonly clientAddress: ClientAddress
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly log: Log
  readonly writeDown: WriteDown
}

/** One token request: what is asked, and under which id it is answered and logged. */
interface Exchange {
  readonly request: IncomingMessage
  readonly path: TokenPath
  readonly requestId: string
}

export type ServeTokenRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  path: TokenPath,
) => Promise<void>

export function serveTokenRequest(route: TokenRoute): ServeTokenRequest {
  return async (request, response, path) => {
    const started = performance.now()
    const exchange = { request, path, requestId: newId(route.randomBytes) }
    const outcome = await decide(exchange, route)
    const { status, headers, body, encoding } = answer(outcome, exchange, route.issuing)
    response.writeHead(status, [...headers, ...route.cors.headersFor(request)])
    response.end(body, encoding)
    route.writeDown(outcome, exchange, performance.now() - started)
  }
}

async function decide(
  { request, path, requestId }: Exchange,
  { issuing, clientAddress, clock, log }: TokenRoute,
): Promise<Outcome<Minted | Permit>> {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') return { result: methodNotAllowed(method) }
  const asked = { path, ...credentialsOf(request, clientAddress, clock()) }
  try {
    return await (method === 'GET' ? issueToken : checkTokenRequest)(asked, issuing)
  } catch (error) {
    log('request_failed', { requestId, ...failureOf(error) })
    return { result: hubFailed() }
  }
}

function answer(
  { result }: Outcome<Minted | Permit>,
  { request, path, requestId }: Exchange,
  { compatible }: Issuing,
): Answer {
  if (!isRefusal(result)) {
    return 'accessToken' in result
      ? answerMinted(result, path, requestId)
      : answerChecked(requestId)
  }
  const plainJson = compatible || wantsPlainJson(request)
  const allow = result.refused === 'method_not_allowed' ? { allow: 'GET, HEAD' } : {}
  return answerRefusal(result, { requestId, plainJson, ...allow })
}

function methodNotAllowed(method: string | undefined) {
  return refuse('method_not_allowed', `A storage token is asked for with GET, not with ${method}.`)
}

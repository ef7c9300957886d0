/** The token request on the wire: read from the raw request, answered without the table of routes. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Answer,
  answerRefusal,
  type Clock,
  isRefusal,
  refuse,
  type TokenPath,
} from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/client-address'
import { failureOf } from '@latchkey/service/log'
import { newId, type RandomBytes } from '@latchkey/service/random'
import { wantsPlainJson } from '@latchkey/service/request-headers'
import { away, failed } from '@latchkey/service/turned-away'
import type { Outcome } from '../issue/authenticate.ts'
import { checkTokenRequest, type Granted, type Issuing, issueToken } from '../issue/issue-token.ts'
import type { Minted } from '../minting/mint-token.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { HubCors } from './cors.ts'
import { credentialsOf } from './request-headers.ts'
import { answerChecked, answerMinted } from './token-answer.ts'
import type { WriteDown } from './write-down.ts'

export interface TokenRoute {
  readonly issuing: Issuing
  readonly cors: HubCors
  readonly clientAddress: ClientAddress
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly log: HubLog
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
): Promise<Outcome<Minted | Granted>> {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') return { result: methodNotAllowed(method) }
  const asked = { path, ...credentialsOf(request, clientAddress, clock()) }
  try {
    return await (method === 'GET' ? issueToken : checkTokenRequest)(asked, issuing)
  } catch (error) {
    const refusal = away(error, 'hub')
    if (refusal !== undefined) return { result: refusal }
    log('request_failed', { requestId, ...failureOf(error) })
    return { result: failed('hub') }
  }
}

function answer(
  { result }: Outcome<Minted | Granted>,
  { request, path, requestId }: Exchange,
  { compatible }: Issuing,
): Answer {
  if (!isRefusal(result)) {
    return 'accessToken' in result
      ? answerMinted(result, path, requestId)
      : answerChecked(requestId)
  }
  const plainJson = compatible || wantsPlainJson(request.headers.accept)
  return answerRefusal(result, { requestId, plainJson })
}

function methodNotAllowed(method: string | undefined) {
  return refuse(
    'method_not_allowed',
    `A storage token is asked for with GET, not with ${method}.`,
    {
      allow: 'GET, HEAD',
    },
  )
}

/** The endpoints of OAuth: what they have in common, and the document that lists them (RFC 8414). */

import type { IncomingMessage } from 'node:http'
import { type Clock, isRefusal, refuse, scopes } from '@latchkey/protocol'
import { type ClientAddress, networkOf } from '@latchkey/service/http/addresses'
import type { Call } from '@latchkey/service/http/call'
import type { Handle, Reply, Route } from '@latchkey/service/http/routes'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import { wishTypes } from './hub-token-wish.ts'
import { type OAuthAnswer, oauthError, refusalAsOAuth } from './oauth-answer.ts'
import type { OAuthLimits } from './oauth-limits.ts'
import { readParameters } from './read-parameters.ts'
import { serveDevice } from './serve-device.ts'
import { type Grant, serveToken, type TokenDeps, tokenGrants } from './serve-token.ts'

export interface OAuthDeps extends Omit<TokenDeps, 'onReused'> {
  readonly publicUrl: string
  readonly clientAddress: ClientAddress
  readonly log: HubLog
  readonly metrics: Pick<Metrics, 'oauthAnswered'>
}

export function oauthRoutes(deps: OAuthDeps): readonly Route[] {
  const { log } = deps
  const grants = tokenGrants({
    ...deps,
    onReused: (caller, { address, requestId }) =>
      log('refresh_token_reused', {
        ...{ subject: caller?.accountId, account: caller?.accountName },
        ...{ hubToken: caller?.hubTokenId, address, requestId },
      }),
  })
  const metadata = JSON.stringify(metadataOf(deps, [...grants.keys()]))
  const handle = (endpoint: Endpoint, grant: Grant) => oauthHandle(endpoint, grant, deps)
  return [
    {
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      handle: () => ({ body: metadata }),
    },
    { method: 'ANY', path: '/oauth/device', handle: handle('device', serveDevice(deps)) },
    { method: 'ANY', path: '/oauth/token', handle: handle('token', serveToken(grants)) },
  ]
}

/** The programs have no secret, and a person approves on a page of the hub: so there is no client authentication. */
function metadataOf({ publicUrl }: OAuthDeps, grantTypes: readonly string[]): object {
  return {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/oauth/token`,
    device_authorization_endpoint: `${publicUrl}/oauth/device`,
    revocation_endpoint: `${publicUrl}/revoke`,
    revocation_endpoint_auth_methods_supported: ['none'],
    grant_types_supported: grantTypes,
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: scopes,
    authorization_details_types_supported: wishTypes,
  }
}

export type Endpoint = 'device' | 'token'

/** Every answer is JSON of RFC 6749, also to a request that no grant has read. */
function oauthHandle(endpoint: Endpoint, grant: Grant, deps: OAuthDeps): Handle {
  const { clientAddress, log, metrics } = deps
  return async (call) => {
    const startedAt = performance.now()
    const { request, requestId } = call
    const address = clientAddress(request)
    const { reply, ...logged } = await answer(call, { address, grant }, deps)
    const milliseconds = Math.round((performance.now() - startedAt) * 1000) / 1000
    metrics.oauthAnswered(endpoint, logged.outcome)
    // A program polls every five seconds until a person has decided.
    if (logged.outcome !== 'authorization_pending') {
      log('oauth_requested', { endpoint, ...logged, address, requestId, milliseconds })
    }
    return request.complete ? reply : endingConnection(reply)
  }
}

async function answer(
  call: Call,
  { address, grant }: { readonly address: string; readonly grant: Grant },
  { limits, clock }: { readonly limits: OAuthLimits; readonly clock: Clock },
): Promise<OAuthAnswer> {
  const { request, requestId } = call
  if (request.method !== 'POST') return refusalAsOAuth(notPost(request))
  const network = networkOf(address)
  const waitMs = limits.request(network)
  if (waitMs > 0) return tooMany(waitMs)
  const answered = await call.attempt(async () => {
    const parameters = await readParameters(request)
    if (isRefusal(parameters)) return refusalAsOAuth(parameters)
    return grant({ parameters, now: clock(), requestId, address, network })
  })
  return isRefusal(answered) ? refusalAsOAuth(answered) : answered
}

function notPost({ method = '' }: IncomingMessage) {
  return refuse('method_not_allowed', `Send a POST request here, not ${method}.`, { allow: 'POST' })
}

/** The limit is for a network, so the client may send the same token again. */
function tooMany(waitMs: number): OAuthAnswer {
  return oauthError({
    code: 'temporarily_unavailable',
    status: 503,
    description: 'Too many requests came from this address. Try again later.',
    retryAfterSeconds: waitMs / 1000,
  })
}

/** The rest of a body that is not read to its end would be taken for the next request. */
function endingConnection(reply: Reply): Reply {
  return { ...reply, headers: [...(reply.headers ?? []), 'Connection', 'close'] }
}

/** `POST /oauth/token`: one row for each grant type. */

import { type Clock, formatTime, type Refusal, type UnixSeconds } from '@latchkey/protocol'
import { parseDeviceCode, parseRefreshToken } from '../identity/device-credentials.ts'
import { hashHubToken } from '../identity/hub-token.ts'
import type { MadeToken } from '../sign-in/own-plans.ts'
import type { DeviceClients } from './clients.ts'
import { type DeviceCodeDeps, pollDeviceCode } from './device-codes.ts'
import { type FamilyCaller, refresh } from './families.ts'
import {
  type OAuthAnswer,
  type OAuthError,
  type OAuthOutcome,
  oauthAnswer,
  oauthError,
} from './oauth-answer.ts'
import type { OAuthLimits } from './oauth-limits.ts'
import type { Parameters } from './read-parameters.ts'
import type { TokenPair } from './sealed-answer.ts'

export interface GrantRequest {
  readonly parameters: Parameters
  readonly now: UnixSeconds
  readonly requestId: string
  /** The address of the client, and the network that limits count it in. */
  readonly address: string
  readonly network: string
}

export type Grant = (request: GrantRequest) => Promise<OAuthAnswer>

export interface TokenDeps extends DeviceCodeDeps {
  readonly clients: DeviceClients
  /** The grants of other parts of the hub, by grant type. */
  readonly moreGrants: ReadonlyMap<string, Grant>
  readonly limits: OAuthLimits
  readonly clock: Clock
  /** Called when a used refresh token came again, so that its device was revoked. */
  readonly onReused: (caller: FamilyCaller | undefined, request: GrantRequest) => void
}

export function tokenGrants(deps: TokenDeps): ReadonlyMap<string, Grant> {
  return new Map<string, Grant>([
    ['urn:ietf:params:oauth:grant-type:device_code', deviceGrant(deps)],
    ['refresh_token', refreshGrant(deps)],
    ...deps.moreGrants,
  ])
}

export function serveToken(grants: ReadonlyMap<string, Grant>): Grant {
  const types = [...grants.keys()].join(', ')
  return async (request) => {
    const type = request.parameters.get('grant_type')
    if (type === undefined) return missing('grant_type')
    const grant = grants.get(type)
    if (grant !== undefined) return grant(request)
    return oauthError({
      code: 'unsupported_grant_type',
      description: `This hub knows the grant types ${types}.`,
    })
  }
}

export function missing(parameter: string): OAuthAnswer {
  return oauthError({
    code: 'invalid_request',
    description: `The parameter ${parameter} is missing.`,
  })
}

/** Only programs that the operator knows; a browser shows their names when a person decides. */
export function refuseClient(
  clientId: string | undefined,
  clients: DeviceClients,
): OAuthAnswer | undefined {
  if (clientId !== undefined && clients.has(clientId)) return undefined
  return oauthError({
    code: 'invalid_client',
    description:
      'This hub does not know this client_id. Its operator can add it to deviceClients in the configuration.',
  })
}

function deviceGrant({ clients, limits, ...deps }: TokenDeps): Grant {
  return async ({ parameters, now, requestId }) => {
    const clientId = parameters.get('client_id')
    const refused = refuseClient(clientId, clients)
    if (refused !== undefined || clientId === undefined) return refused ?? missing('client_id')
    const text = parameters.get('device_code')
    if (text === undefined) return missing('device_code')
    const deviceCode = parseDeviceCode(text)
    if (deviceCode === undefined) return oauthError(deadCode)
    const waitMs = limits.poll(hashHubToken(deviceCode))
    if (waitMs > 0) return oauthError(tooSoon)
    const program = clients.get(clientId) ?? clientId
    const polled = await pollDeviceCode(deps, { deviceCode, clientId, program, now, requestId })
    if ('pair' in polled) return answerPair(polled.pair, polled.caller, now)
    if ('made' in polled) return answerMade(polled.made, polled.caller, now)
    if ('refusal' in polled) return oauthError(notMade(polled.refusal))
    return oauthError(pollErrors[polled.outcome])
  }
}

const tooSoon: OAuthError = {
  code: 'slow_down',
  description: 'This program asks too often. Wait five seconds longer between requests.',
}

const deadCode: OAuthError = {
  code: 'invalid_grant',
  description: 'This device code is unknown or was used before. Start the sign-in again.',
}

const pollErrors: Readonly<Record<'pending' | 'denied' | 'expired' | 'dead', OAuthError>> = {
  pending: {
    code: 'authorization_pending',
    description: 'The sign-in is not approved yet. Ask again later.',
  },
  denied: { code: 'access_denied', description: 'The sign-in was denied.' },
  expired: {
    code: 'expired_token',
    description: 'The device code has expired. Start the sign-in again.',
  },
  dead: deadCode,
}

/** Descriptions have no quotes: RFC 6749 §5.2. */
function notMade({ detail }: Refusal): OAuthError {
  return { code: 'access_denied', description: detail.replaceAll('"', "'") }
}

function refreshGrant({ clients, onReused, ...deps }: TokenDeps): Grant {
  return async (request) => {
    const { parameters, now, requestId } = request
    const clientId = parameters.get('client_id')
    const refused = refuseClient(clientId, clients)
    if (refused !== undefined || clientId === undefined) return refused ?? missing('client_id')
    const text = parameters.get('refresh_token')
    if (text === undefined) return missing('refresh_token')
    const refreshToken = parseRefreshToken(text)
    if (refreshToken === undefined) return oauthError(deadRefresh)
    const refreshed = await refresh(deps, { refreshToken, clientId, now, requestId })
    const { outcome, caller } = refreshed
    if (outcome === 'reused') onReused(caller, request)
    if ('pair' in refreshed) return answerPair(refreshed.pair, refreshed.caller, now)
    if (outcome === 'too soon') return oauthError(refreshTooSoon, loggedCaller(caller))
    return oauthError(deadRefresh, loggedCaller(caller))
  }
}

/** The client never sends it again, so this is said only of a refresh token that is dead for ever. */
const deadRefresh: OAuthError = {
  code: 'invalid_grant',
  description:
    'This refresh token is unknown, expired or revoked, or was used before. Sign in again.',
}

const refreshTooSoon: OAuthError = {
  code: 'slow_down',
  description:
    'This program refreshes too often. Use its hub token, and send the same refresh token later.',
}

function loggedCaller(caller: FamilyCaller | undefined): Omit<OAuthOutcome, 'outcome'> {
  if (caller === undefined) return {}
  const { accountId: subject, accountName: account, hubTokenId: hubToken } = caller
  return { subject, account, hubToken }
}

function answerPair(
  { accessToken, refreshToken, expiresAt, scope }: TokenPair,
  caller: FamilyCaller,
  now: UnixSeconds,
): OAuthAnswer {
  return oauthAnswer(
    {
      access_token: accessToken.reveal(),
      token_type: 'bearer',
      expires_in: Math.max(0, expiresAt - now),
      refresh_token: refreshToken.reveal(),
      scope,
    },
    loggedCaller(caller),
  )
}

/** It is renewed by nothing: RFC 9396 §7 lets the answer say what it is. */
function answerMade(
  { id, name, kind, token, expiresAt }: MadeToken,
  caller: FamilyCaller,
  now: UnixSeconds,
): OAuthAnswer {
  const end = expiresAt !== undefined && { expiresAt: formatTime(expiresAt) }
  return oauthAnswer(
    {
      access_token: token.reveal(),
      token_type: 'bearer',
      ...(expiresAt !== undefined && { expires_in: Math.max(0, expiresAt - now) }),
      authorization_details: [{ type: 'hub-token', id, name, kind, ...end }],
    },
    loggedCaller(caller),
  )
}

/** `POST /oauth/device`: a program begins a sign-in (RFC 8628 §3.1), and gets a code for itself and one for a person. */

import { type Scope, scopes } from '@latchkey/protocol'
import { shownUserCode } from '../identity/device-credentials.ts'
import type { DeviceClients } from './clients.ts'
import { codeSeconds, type DeviceCodeDeps, openDeviceCode, pollSeconds } from './device-codes.ts'
import { parseWish, wishTypes } from './hub-token-wish.ts'
import { type OAuthAnswer, oauthAnswer, oauthError } from './oauth-answer.ts'
import { type Grant, type GrantRequest, missing, refuseClient } from './serve-token.ts'

export interface DeviceDeps extends DeviceCodeDeps {
  readonly clients: DeviceClients
  readonly publicUrl: string
}

export function serveDevice({ clients, publicUrl, ...deps }: DeviceDeps): Grant {
  return async ({ parameters, address, network, now }: GrantRequest) => {
    const clientId = parameters.get('client_id')
    const refused = refuseClient(clientId, clients)
    if (refused !== undefined || clientId === undefined) return refused ?? missing('client_id')
    const scope = scopeIn(parameters.get('scope'))
    if (scope === undefined) return unknownScope()
    const wish = parameters.get('authorization_details') ?? null
    if (wish !== null && parseWish(wish) === undefined) return unknownWish()
    const opened = await openDeviceCode(deps, { clientId, scope, address, network, wish, now })
    if (opened === 'too many') return tooMany()
    const { deviceCode, userCode } = opened
    const shownCode = shownUserCode(userCode)
    return oauthAnswer({
      device_code: deviceCode.reveal(),
      user_code: shownCode,
      verification_uri: `${publicUrl}/device`,
      verification_uri_complete: `${publicUrl}/device?user_code=${shownCode}`,
      expires_in: codeSeconds,
      interval: pollSeconds,
    })
  }
}

/** A client that names none gets what a person does: to read and to write. Several words give the most of them. */
function scopeIn(text = 'write'): Scope | undefined {
  const words = text.split(' ')
  if (!words.every((word) => scopes.some((scope) => scope === word))) return undefined
  return words.includes('write') ? 'write' : 'read'
}

function unknownScope(): OAuthAnswer {
  return oauthError({
    code: 'invalid_scope',
    description: `This hub knows the scopes ${scopes.join(' and ')}.`,
  })
}

/** RFC 9396 §5 */
function unknownWish(): OAuthAnswer {
  return oauthError({
    code: 'invalid_authorization_details',
    description: `This hub takes one object of the type ${wishTypes.join(' or ')}, with the members of that type alone.`,
  })
}

function tooMany(): OAuthAnswer {
  return oauthError({
    code: 'slow_down',
    status: 429,
    description:
      'Too many sign-ins of this address wait for a decision. Decide on them, or wait until they have expired.',
    retryAfterSeconds: codeSeconds,
  })
}

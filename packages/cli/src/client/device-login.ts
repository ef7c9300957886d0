/** Signs this machine in as a device (RFC 8628): a person approves in a browser, and the hub gives a hub token that is renewed. */

import { setTimeout as delay } from 'node:timers/promises'
import { type Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { ask, reasonOf } from '@latchkey/service/http/ask'
import type { DeviceLogin } from '../credentials/credentials.ts'
import { refused, type Stop, unavailable } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { parseHubToken, parseRefreshToken } from '../reading/hub-token.ts'
import { type Members, membersOf, textOf } from '../reading/members-of.ts'

const clientId = 'latchkey'
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const maxAnswerBytes = 64 * 1024
const maxWaitMs = 30_000

export interface SignedInDevice extends DeviceLogin {
  readonly token: Secret<'hub-token'>
}

export interface OAuthAnswer {
  readonly status: number
  /** Empty for an answer that is no JSON. */
  readonly members: Members
}

type Form = Readonly<Record<string, string>>

/** Sends a form to an OAuth endpoint of the hub. */
export async function postOAuth(url: string, form: Form): Promise<OAuthAnswer> {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const body = new URLSearchParams({ client_id: clientId, ...form }).toString()
  const answer = await ask(url, { method: 'POST', headers, body, maxWaitMs })
  const bytes = await answer.read(maxAnswerBytes)
  return { status: answer.status, members: membersOf(parsed(bytes?.toString() ?? '')) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function signInDevice(hub: string): Promise<SignedInDevice> {
  return waitForApproval(hub, {
    form: {},
    read: deviceIn,
    what: 'sign-in',
    again: 'latchkey login',
  })
}

export interface Approval<Result> {
  /** Sent with the request for a code. */
  readonly form: Form
  /** Undefined for a response that does not have it. */
  readonly read: (answer: OAuthAnswer) => Result | undefined
  /** The thing that a person approves, and the command that asks again. */
  readonly what: string
  readonly again: string
}

/** Shows the address and the code, and waits until a person has decided. */
export async function waitForApproval<Result>(
  hub: string,
  approval: Approval<Result>,
): Promise<Result> {
  const started = await begin(hub, approval)
  tell(`Open this address in a browser, and approve:\n\n  ${started.address}\n`)
  tell(`It shows the code ${started.userCode}. latchkey waits until you have approved.`)
  const endMs = performance.now() + started.seconds * 1000
  let intervalMs = started.intervalMs
  while (performance.now() < endMs) {
    await delay(intervalMs)
    const form = { grant_type: deviceGrant, device_code: started.deviceCode.reveal() }
    const answer = await postOAuth(`${hub}/oauth/token`, form).catch(() => undefined)
    const result = answer && approval.read(answer)
    if (result !== undefined) return result
    const error = answer === undefined || answer.status >= 500 ? undefined : errorIn(answer)
    if (error === 'slow_down') intervalMs += 5000
    else if (error !== undefined && error !== 'authorization_pending')
      throw ended(error, approval, textOf(answer?.members['error_description']))
  }
  throw ended('expired_token', approval)
}

async function begin(hub: string, { form, what }: Pick<Approval<unknown>, 'form' | 'what'>) {
  const answer = await postOAuth(`${hub}/oauth/device`, form).catch((error: unknown) => {
    throw unavailable(`${hub} cannot be reached (${reasonOf(error, 'no response in time')})`)
  })
  const { members } = answer
  const deviceCode = parseRefreshToken(textOf(members['device_code']) ?? '')
  const userCode = textOf(members['user_code'])
  const address = textOf(members['verification_uri_complete'] ?? members['verification_uri'])
  if (deviceCode === undefined || userCode === undefined || address === undefined) {
    throw notStarted(hub, what, answer)
  }
  const seconds = numberIn(members, 'expires_in') ?? 900
  const intervalMs = (numberIn(members, 'interval') ?? 5) * 1000
  return { deviceCode, userCode, address, seconds, intervalMs }
}

function notStarted(hub: string, what: string, { status, members }: OAuthAnswer): Stop {
  const description = textOf(members['error_description'])
  if (description !== undefined) return refused(`${hub} starts no ${what}: ${description}`)
  return unavailable(
    `${hub} starts no ${what} in a browser (status ${status}); with a hub token, use latchkey login --token`,
  )
}

const denied = 'The sign-in was denied.'

/** A hub that cannot make what was approved says why. */
function ended(
  error: string,
  { what, again }: Pick<Approval<unknown>, 'what' | 'again'>,
  description = denied,
): Stop {
  if (error === 'expired_token')
    return refused(`nobody approved the ${what} in time; run ${again} again`)
  if (error !== 'access_denied')
    return refused(`the hub ended the ${what} (${error}); run ${again} again`)
  if (description !== denied) return refused(description)
  return refused(`the ${what} was denied in the browser; nothing is stored`)
}

function errorIn({ members }: OAuthAnswer): string | undefined {
  return textOf(members['error'])
}

function numberIn(members: Members, name: string): number | undefined {
  const value = members[name]
  return typeof value === 'number' && value > 0 ? value : undefined
}

function deviceIn({ members }: OAuthAnswer): SignedInDevice | undefined {
  const token = parseHubToken(textOf(members['access_token']) ?? '')
  const refreshToken = parseRefreshToken(textOf(members['refresh_token']) ?? '')
  const seconds = numberIn(members, 'expires_in')
  if (token === undefined || refreshToken === undefined || seconds === undefined) return undefined
  return { token, refreshToken, expiresAt: unixSeconds(nowSeconds() + seconds) }
}

export function nowSeconds(): UnixSeconds {
  return unixSeconds(Math.floor(Date.now() / 1000))
}

/** `dead`: never again. `unavailable`: perhaps later. */
export async function refreshDevice(
  hub: string,
  refreshToken: Secret<'refresh-token'>,
): Promise<SignedInDevice | 'dead' | 'unavailable'> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken.reveal() }
  const answer = await postOAuth(`${hub}/oauth/token`, form).catch(() => undefined)
  if (answer === undefined || answer.status >= 500) return 'unavailable'
  return deviceIn(answer) ?? (errorIn(answer) === 'invalid_grant' ? 'dead' : 'unavailable')
}

/** Whether the hub has ended the device. */
export async function revokeDevice(
  hub: string,
  refreshToken: Secret<'refresh-token'>,
): Promise<boolean> {
  const form = { token: refreshToken.reveal(), token_type_hint: 'refresh_token' }
  const answer = await postOAuth(`${hub}/revoke`, form).catch(() => undefined)
  return answer?.status === 200
}

/** A program that signs in as a device, over HTTP, and a person who decides without a page. */

import type { HubTokenId } from '@latchkey/protocol'
import { hubToken } from '@latchkey/testing/hub/ask'
import type { World } from '@latchkey/testing/hub/world'
import { hashHubToken } from '../../src/identity/hub-token.ts'
import { type DecisionResult, decideDeviceCode } from '../../src/oauth/device-codes.ts'

export const client = { client_id: 'latchkey' }
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

export interface OAuthTold {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Of every answer: JSON, or the test fails. */
  readonly json: Readonly<Record<string, unknown>>
}

export type Form = Readonly<Record<string, string>>

export async function postForm(
  world: Pick<World, 'hub'>,
  path: string,
  form: Form | string,
  headers: Form = {},
): Promise<OAuthTold> {
  const response = await fetch(world.hub.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  })
  const text = await response.text()
  const { status } = response
  return { status, headers: response.headers, text, json: text === '' ? {} : JSON.parse(text) }
}

export interface StartedDevice {
  readonly device_code: string
  readonly user_code: string
}

export async function startDevice(world: World, form: Form = {}): Promise<StartedDevice> {
  const { json } = await postForm(world, '/oauth/device', { ...client, ...form })
  return { device_code: String(json['device_code']), user_code: String(json['user_code']) }
}

/** Moves the clock by the interval of polls first. */
export function poll(world: World, device_code: string, form: Form = {}): Promise<OAuthTold> {
  world.passSeconds(5)
  return pollNow(world, device_code, form)
}

export function pollNow(world: World, device_code: string, form: Form = {}): Promise<OAuthTold> {
  return postForm(world, '/oauth/token', {
    ...client,
    grant_type: deviceGrant,
    device_code,
    ...form,
  })
}

export function refresh(
  world: Pick<World, 'hub'>,
  refresh_token: string,
  form: Form = {},
): Promise<OAuthTold> {
  return postForm(world, '/oauth/token', {
    ...client,
    grant_type: 'refresh_token',
    refresh_token,
    ...form,
  })
}

export interface Approval {
  /** The account and name of the hub token that the session was made with. */
  readonly as?: string
  readonly isApproved?: boolean
  readonly endsIn?: number
  readonly maxScope?: 'read' | 'write'
}

/** As the page does it; a hub token stands for the session. */
export async function decide(
  world: World,
  { user_code }: Pick<StartedDevice, 'user_code'>,
  { as = 'writer/write', isApproved = true, endsIn, maxScope = 'write' }: Approval = {},
): Promise<DecisionResult> {
  const { id, account_id } = await rowOf(world, hubToken(world, as))
  const now = world.now()
  return decideDeviceCode(world.store, {
    userCode: user_code.replace('-', ''),
    isApproved,
    accountId: account_id,
    sessionId: id,
    endsAt: endsIn === undefined ? undefined : ((now + endsIn) as typeof now),
    maxScope,
    now,
  })
}

export interface Pair {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
}

export function pairIn({ status, json }: OAuthTold): Pair {
  const { access_token, refresh_token, expires_in } = json
  if (status !== 200) throw new Error(`no pair, but ${status} ${JSON.stringify(json)}`)
  return {
    access_token: String(access_token),
    refresh_token: String(refresh_token),
    expires_in: Number(expires_in),
  }
}

/** So long ago that it may refresh. */
export async function signInDevice(world: World, approval: Approval = {}): Promise<Pair> {
  const started = await startDevice(world)
  const decided = await decide(world, started, approval)
  if (decided !== 'decided') throw new Error(decided)
  const pair = pairIn(await poll(world, started.device_code))
  world.passSeconds(60)
  return pair
}

/** Whether the hub takes a hub token. */
export async function isLive(world: World, token: string): Promise<boolean> {
  const response = await fetch(`${world.hub.url}/api/whoami`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await response.text()
  return response.status === 200
}

export async function rowOf(world: World, token: string) {
  const hash = hashHubToken({ reveal: () => token } as Parameters<typeof hashHubToken>[0])
  return world.store.readBeside((tables) =>
    tables
      .selectFrom('hub_tokens')
      .selectAll()
      .where('secret_hash', '=', hash)
      .executeTakeFirstOrThrow(),
  )
}

export async function idOf(world: World, token: string): Promise<HubTokenId> {
  return (await rowOf(world, token)).id
}

/** A hub with trusted publishers, and a platform whose jobs exchange id tokens there. */

import { acme } from '@latchkey/testing/hub/acme'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { type IdTokenIssuer, startIssuer } from '@latchkey/testing/hub/id-token-issuer'
import { startWorld, type World } from '@latchkey/testing/hub/world'

export const repository = 'models/acme/bert'
export const exchangeType = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const idTokenType = 'urn:ietf:params:oauth:token-type:id_token'

export const githubClaims = {
  repository: 'acme/bert',
  repository_id: '74',
  repository_owner: 'acme',
  repository_owner_id: '65',
  ref: 'refs/heads/main',
  ref_type: 'branch',
  event_name: 'push',
  run_attempt: '1',
  sub: 'repo:acme/bert:ref:refs/heads/main',
}

export const rule = {
  ...{ repository, publisher: 'release', preset: 'github', contents: 'write' },
  claims: ['repository_id=74', 'repository_owner_id=65', 'ref=refs/heads/main'],
  refs: ['main'],
  maxSeconds: 900,
}

export interface ExchangeAnswer {
  readonly status: number
  readonly headers: Headers
  readonly json: Readonly<Record<string, unknown>>
}

export interface Exchanging {
  readonly world: World
  readonly issuer: IdTokenIssuer
  /** The claims of a good id token of now, with changes; undefined leaves a claim out. */
  claims(change?: object): object
  /** Exchanges an id token with these changes. */
  exchange(
    change?: object,
    parameters?: Readonly<Record<string, string | undefined>>,
  ): Promise<ExchangeAnswer>
  /** The reasons that the owners of the repository see, the newest first. */
  reasons(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface ExchangeOptions {
  readonly preset?: 'github' | 'gitlab' | 'other'
  readonly maxAgeSeconds?: number
  /** Of the settings of the hub. */
  readonly change?: SettingsChange
}

export async function openExchange({
  preset = 'github',
  maxAgeSeconds = 3600,
  change = {},
}: ExchangeOptions = {}): Promise<Exchanging> {
  const issuer = await startIssuer()
  const settings = { issuer: issuer.issuer, preset, maxAgeSeconds }
  const world = await startWorld(acme, {
    ...change,
    trustedPublishers: {
      issuers: [{ ...settings, allowPrivateAddresses: false, allowPlainHttp: true }],
    },
  })
  let jti = 0
  const claims = (change: object = {}) => {
    jti += 1
    const now = world.now()
    const { publicUrl: aud } = world.settings
    return { ...githubClaims, aud, iat: now, exp: now + 300, jti: `job-${jti}`, ...change }
  }
  return {
    world,
    issuer,
    claims,
    async exchange(change, parameters = {}) {
      const subject_token = parameters['subject_token'] ?? (await issuer.sign(claims(change)))
      return post(world, { ...exchangeParameters, subject_token, ...parameters })
    },
    async reasons() {
      const { items } = await world.done('publisher refusals', { repository })
      return (items as { reason: string }[]).map(({ reason }) => reason)
    },
    async close() {
      await world.close()
      await issuer.close()
    },
  }
}

const exchangeParameters = {
  grant_type: exchangeType,
  subject_token_type: idTokenType,
  resource: 'acme/bert',
}

/** As JSON, which is how the newest client sends it. */
export async function post(
  { hub }: World,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<ExchangeAnswer> {
  const response = await fetch(`${hub.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  })
  return { status: response.status, headers: response.headers, json: Object(await response.json()) }
}

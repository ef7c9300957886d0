/** Identity providers by OpenID Connect: the way there, and what comes back. */

import {
  type Clock,
  isPlainHttp,
  isRefusal,
  type Refusal,
  refuse,
  Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import * as oidc from 'openid-client'
import type { ProviderSettings } from './provider-settings.ts'
import type { Attempt } from './sealed-attempt.ts'

/** A person whom a provider vouches for; every check of the protocol has passed. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
  /** When the provider last asked the person to prove who it is; undefined where it does not say. */
  readonly authTime: UnixSeconds | undefined
  /** By which the hub may ask again; undefined where the provider sent none, or is not to be asked. */
  readonly token: Secret<'provider-token'> | undefined
}

/** A provider's answer when the hub asked again. */
export type Renewal =
  /** Some providers send no id token, and some no new refresh token. */
  | {
      readonly outcome: 'answered'
      readonly identity: Omit<Identity, 'token'> | undefined
      readonly token: Secret<'provider-token'> | undefined
    }
  /** The provider does not know the refresh token any more. */
  | { readonly outcome: 'ended'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly reason: string }

export interface Provider {
  readonly settings: ProviderSettings
  /** The address to which a browser is sent. */
  authorize(attempt: Attempt, redirectUri: string): Promise<string | Refusal>
  /** Exchanges the code that came back to this address. */
  redeem(attempt: Attempt, returned: URL): Promise<Identity | Refusal>
  /** Asks for the claims of a person anew. */
  renew(token: Secret<'provider-token'>): Promise<Renewal>
}

export type Providers = ReadonlyMap<string, Provider>

const discoverySeconds = 3600
/** An answer that is signed with a new key is lost, and with it the next refresh token. */
const renewalDiscoverySeconds = 60
/** Strangers can make the hub ask, so a failure counts for a few seconds too. */
const failedSeconds = 5
const timeoutSeconds = 10

export function openProviders(all: readonly ProviderSettings[], clock: Clock): Providers {
  return new Map(all.map((settings) => [settings.name, openProvider(settings, clock)]))
}

function openProvider(settings: ProviderSettings, clock: Clock): Provider {
  const configuration = discovered(settings, clock, discoverySeconds)
  const forRenewal = discovered(settings, clock, renewalDiscoverySeconds)
  return {
    settings,
    async authorize({ state, nonce, verifier, isFresh }, redirectUri) {
      try {
        const url = oidc.buildAuthorizationUrl(await configuration.get(), {
          redirect_uri: redirectUri,
          scope: scopesOf(settings).join(' '),
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          ...{ code_challenge_method: 'S256', state, nonce },
          ...(isFresh && { max_age: '0' }),
          ...(settings.offlineAccess === 'consent' && { prompt: 'consent' }),
        })
        return url.href
      } catch (error) {
        return unreachable(settings, error)
      }
    },
    async redeem({ state, nonce, verifier }, returned) {
      try {
        const tokens = await oidc.authorizationCodeGrant(await configuration.get(), returned, {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
          idTokenExpected: true,
        })
        const identity = identityIn(tokens.claims())
        const token = isKept(settings) ? tokenIn(tokens) : undefined
        return isRefusal(identity) ? identity : { ...identity, token }
      } catch (error) {
        // The keys are kept with the rest: a new key counts at the next try.
        if (codeOf(error) === unknownKey) configuration.forget()
        return notRedeemed(settings, error)
      }
    },
    async renew(token) {
      try {
        const tokens = await oidc.refreshTokenGrant(await forRenewal.get(), token.reveal())
        const identity = identityIn(tokens.claims())
        const person = isRefusal(identity) ? undefined : identity
        return { outcome: 'answered', identity: person, token: tokenIn(tokens) }
      } catch (error) {
        if (codeOf(error) === unknownKey) forRenewal.forget()
        const reason = reasonOf(error)
        const isEnded = error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant'
        return { outcome: isEnded ? 'ended' : 'failed', reason }
      }
    },
  }
}

function scopesOf({ scopes, offlineAccess }: ProviderSettings): readonly string[] {
  return isKept({ offlineAccess }) && !scopes.includes(offline) ? [...scopes, offline] : scopes
}

/** Whether the hub keeps refresh tokens of people. */
function isKept({ offlineAccess = false }: Pick<ProviderSettings, 'offlineAccess'>): boolean {
  return offlineAccess !== false
}

const offline = 'offline_access'

/** A longer one than any provider sends is not kept. */
const maxTokenLength = 16_384

function tokenIn({ refresh_token: text }: oidc.TokenEndpointResponse) {
  if (text === undefined || text.length > maxTokenLength) return undefined
  return new Secret('provider-token', text)
}

interface Kept {
  readonly from: number
  readonly until: number
  readonly found: Promise<oidc.Configuration>
}

interface KeptConfiguration {
  get(): Promise<oidc.Configuration>
  forget(): void
}

/** Asked for when it is needed, kept for an hour or less, and asked for again a little after a failure. */
function discovered(settings: ProviderSettings, clock: Clock, seconds: number): KeptConfiguration {
  let latest: Kept | undefined
  return {
    get() {
      const now = clock()
      if (latest !== undefined && latest.from <= now && now < latest.until) return latest.found
      const found = discover(settings, clock)
      const current = { from: now, until: now + seconds, found }
      latest = current
      found.catch(() => {
        const from = clock()
        if (latest === current) latest = { from, until: from + failedSeconds, found }
      })
      return found
    },
    forget() {
      latest = undefined
    },
  }
}

export async function discover(
  {
    issuer,
    clientId,
    clientSecret,
  }: Pick<ProviderSettings, 'issuer' | 'clientId' | 'clientSecret'>,
  clock: Clock,
): Promise<oidc.Configuration> {
  const secret = clientSecret.reveal()
  const isLoopbackHttp = issuer.startsWith('http:') && !isPlainHttp(issuer)
  const metadata = { [oidc.clockSkew]: clock() - Math.floor(Date.now() / 1000) }
  return oidc.discovery(new URL(issuer), clientId, metadata, oidc.ClientSecretBasic(secret), {
    timeout: timeoutSeconds,
    execute: [
      // The signature of the id token is verified too, not only the line that it came over.
      oidc.enableNonRepudiationChecks,
      ...(isLoopbackHttp ? [oidc.allowInsecureRequests] : []),
    ],
  })
}

function identityIn(claims: oidc.IDToken | undefined): Omit<Identity, 'token'> | Refusal {
  if (claims === undefined) return refuse('bad_request', 'The identity provider sent no id token.')
  const { iss: issuer, sub: subject, auth_time } = claims
  const authTime = typeof auth_time === 'number' ? (auth_time as UnixSeconds) : undefined
  return { issuer, subject, claims, authTime }
}

function unreachable({ name }: ProviderSettings, error: unknown): Refusal {
  return refuse(
    'upstream_unreachable',
    `The identity provider "${name}" did not answer as expected. Try again in a minute; if it continues, tell the operator of this hub.`,
    { reason: reasonOf(error) },
  )
}

/** The library refuses a response that does not fit; a provider that is down is a failure of another kind. */
function notRedeemed(settings: ProviderSettings, error: unknown): Refusal {
  const code = codeOf(error)
  const isDown = code === undefined || failures.includes(code)
  if (isDown && !(error instanceof oidc.AuthorizationResponseError))
    return unreachable(settings, error)
  return refuse(
    'bad_request',
    `The sign-in with "${settings.name}" failed: the response of the identity provider does not fit this browser's sign-in, was used already, or is a refusal. Start again at /login.`,
    { reason: reasonOf(error) },
  )
}

/** The id token names a key that the provider did not publish when the hub asked for its keys. */
const unknownKey = 'OAUTH_KEY_SELECTION_FAILED'

const failures: readonly string[] = [
  unknownKey,
  'OAUTH_TIMEOUT',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
]

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** For the log of the operator; never with a token in it. */
export function reasonOf(error: unknown): string {
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
    return `error ${error.error}`
  }
  const message = error instanceof Error ? error.message : String(error)
  return [codeOf(error), message]
    .filter((part) => part !== undefined)
    .join(': ')
    .slice(0, 300)
}

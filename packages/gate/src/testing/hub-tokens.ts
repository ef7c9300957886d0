/** Storage tokens of a fake hub: right ones, and tokens with one flaw. */

import {
  asAccountId,
  asHubTokenId,
  type JournalNumber,
  noCommit,
  type OptionTypes,
  refuseOptions,
  type Scope,
  scopes,
  unixSeconds,
} from '@latchkey/protocol'
import { newId, pooledRandom } from '@latchkey/service/machine/random'
import {
  type Claims,
  maxLeewaySeconds,
  maxLifeSeconds,
  maxSeenRefs,
  tokenType,
} from '@latchkey/token'
import { generateSigningKey, type SigningKey, signToken } from '@latchkey/token/signing'
import type { HubPlaces } from './hub-places.ts'

/**
 * One mistake each that every gate must refuse.
 *
 * @example
 * ```ts
 * test.each(tokenFlaws)('a token with the flaw %s gets 401', async (flaw) => {
 *   expect((await ask(hub.token({ flaw }))).status).toBe(401)
 * })
 * ```
 */
export const tokenFlaws = [
  'expired',
  'not-yet-valid',
  'other-issuer',
  'other-audience',
  'unknown-key',
  'forged-signature',
  'unsigned',
  'other-type',
  'critical-header',
  'embedded-key',
] as const

export type TokenFlaw = (typeof tokenFlaws)[number]

export interface TokenRequest {
  /** @default 'read' */
  readonly scope?: Scope
  /** @default 'models/acme/bert' */
  readonly repository?: string
  /**
   * A branch, a full ref name or a commit hash.
   * @default 'main'
   */
  readonly ref?: string
  /**
   * Refs whose content the ref inherits, as a fork does. Their content counts up to the first
   * token that names both refs.
   * @default []
   */
  readonly inherited?: readonly string[]
  /**
   * Seconds.
   * @default 900
   */
  readonly expiresIn?: number
  /** @default 'ada' */
  readonly account?: string
  /**
   * The id of the hub token that the account asks with.
   * @default 'ada-laptop'
   */
  readonly hubToken?: string
  /** Makes a token that every gate must refuse, for this one reason. */
  readonly flaw?: TokenFlaw
}

const requestTypes: OptionTypes<TokenRequest> = {
  ...{ scope: 'string', repository: 'string', ref: 'string', inherited: 'object' },
  ...{ expiresIn: 'number', account: 'string', hubToken: 'string', flaw: 'string' },
}

export interface HubTokensOptions {
  readonly issuer: string
  readonly audience: string
  readonly now: () => number
  readonly places: HubPlaces
  readonly key: () => SigningKey
  /** The number of the last entry. */
  readonly number: () => JournalNumber
  /** The number of a new entry, above the stamp of all content that was written before. */
  readonly numberOfFork: () => JournalNumber
}

export type MakeToken = (request?: TokenRequest) => string

export async function hubTokens(options: HubTokensOptions): Promise<MakeToken> {
  const stranger = await generateSigningKey('ES256')
  const randomBytes = pooledRandom()
  return (request = {}) => {
    refuseRequest(request)
    const claims = { ...claimsOf(request, options), jti: newId(randomBytes) }
    return signWithFlaw(claims, request.flaw, { key: options.key(), stranger })
  }
}

function refuseRequest(request: TokenRequest): void {
  refuseOptions('token', request, requestTypes)
  const { scope = 'read', inherited = [], expiresIn = 900, flaw } = request
  refuseOther('scope', scope, scopes)
  if (flaw !== undefined) refuseOther('flaw', flaw, tokenFlaws)
  if (!Number.isSafeInteger(expiresIn) || expiresIn < 1 || expiresIn > maxLifeSeconds) {
    throw new TypeError(`expiresIn of token must be 1 to ${maxLifeSeconds}, and is ${expiresIn}.`)
  }
  if (!Array.isArray(inherited) || inherited.length > maxSeenRefs) {
    throw new TypeError(`inherited of token must be a list of at most ${maxSeenRefs} refs.`)
  }
}

function refuseOther(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return
  throw new TypeError(
    `${name} of token must be one of ${allowed.join(', ')}, and is ${JSON.stringify(value)}.`,
  )
}

function claimsOf(
  { scope = 'read', repository = 'models/acme/bert', ref = 'main', ...rest }: TokenRequest,
  { issuer, audience, now, places, number, numberOfFork }: HubTokensOptions,
): Omit<Claims, 'jti'> {
  const { inherited = [], expiresIn = 900, account = 'ada', hubToken = 'ada-laptop' } = rest
  const origins = inherited.map((name) => places.placeOf(repository, name))
  const place = places.placeOf(repository, ref)
  const sees = origins.map((origin) => ({
    uid: origin.refUid,
    before: places.forkNumber(place, origin, numberOfFork),
  }))
  const { type, namespace, name } = place.repository
  const iat = unixSeconds(now())
  return {
    iss: issuer,
    aud: audience,
    sub: asAccountId(account),
    client_id: asHubTokenId(hubToken),
    scope,
    repo: { type, id: `${namespace}/${name}`, uid: place.repositoryUid },
    ref: { name: place.ref, uid: place.refUid },
    commit: place.ref.startsWith('refs/') ? noCommit : place.ref,
    as_of: number(),
    sees,
    iat,
    exp: unixSeconds(iat + expiresIn),
  }
}

interface Keys {
  readonly key: SigningKey
  /** Signs as well as the other, but no hub publishes it. */
  readonly stranger: SigningKey
}

function signWithFlaw(
  claims: Claims,
  flaw: TokenFlaw | undefined,
  { key, stranger }: Keys,
): string {
  const { iss, aud, iat, exp } = claims
  const shifted = (seconds: number) =>
    sign({ ...claims, iat: unixSeconds(iat + seconds), exp: unixSeconds(exp + seconds) }, key)
  switch (flaw) {
    case 'expired':
      return shifted(iat - exp - 2 * maxLeewaySeconds)
    case 'not-yet-valid':
      return shifted(2 * maxLeewaySeconds)
    case 'other-issuer':
      return sign({ ...claims, iss: `${iss}/other` }, key)
    case 'other-audience':
      return sign({ ...claims, aud: `${aud}/other` }, key)
    case 'unknown-key':
      return sign(claims, stranger)
    case 'forged-signature':
      return sign(claims, { ...stranger, header: key.header })
    case 'unsigned':
      return withoutSignature(sign(claims, key), key)
    case 'other-type':
      return sign(claims, { ...key, header: key.headHeader })
    case 'critical-header':
      return sign(claims, withHeader(key, { crit: ['latchkey'], latchkey: true }))
    case 'embedded-key':
      return sign(claims, withHeader(stranger, { jwk: stranger.publicJwk }))
    case undefined:
      return sign(claims, key)
  }
}

function sign(claims: Claims, key: SigningKey): string {
  return signToken(claims, key).reveal()
}

/** The key with more members in the header of its tokens. */
function withHeader(key: SigningKey, members: object): SigningKey {
  const header = JSON.parse(Buffer.from(key.header, 'base64url').toString())
  return {
    ...key,
    header: Buffer.from(JSON.stringify({ ...header, ...members })).toString('base64url'),
  }
}

function withoutSignature(token: string, { kid }: SigningKey): string {
  const header = JSON.stringify({ alg: 'none', kid, typ: tokenType })
  return `${Buffer.from(header).toString('base64url')}.${token.split('.')[1]}.`
}

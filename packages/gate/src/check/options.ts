import {
  type Clock,
  defaultPollSeconds,
  isCasUrl,
  isServiceUrl,
  isWriteRule,
  refuseMistypedRules,
  refuseOptions,
  type ScopeRules,
  type SlashForm,
  slashForms,
  storageAddress,
} from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { areRequestsApart } from '@latchkey/service/machine/runtime'
import type { KeySet } from '@latchkey/token'
import type { Grant } from '../grant/grant.ts'
import { fetchKeys, refuseHubUrl, refuseUrl } from '../keys/fetch-keys.ts'
import { hubKeys } from '../keys/hub-keys.ts'
import { fixedKeys, type KeySource } from '../keys/key-source.ts'
import {
  type Isolation,
  type Locator,
  type PlaceResolver,
  placeByLocate,
  placeByPrefix,
} from '../place/locate.ts'
import { hubDocuments } from '../revocations/head-keys.ts'
import { hubRevocations } from '../revocations/hub-revocations.ts'
import type { WhenStale } from '../revocations/revocation-checker.ts'
import { noRevocations, type RevocationSource } from '../revocations/revocation-source.ts'
import type { PublicRoute } from './public-routes.ts'

export type GateOptions = TrustOptions & PlaceOptions & OtherOptions

/** Whose tokens are accepted: those of a hub, whose keys are fetched, or those signed with given keys. */
type TrustOptions =
  | {
      /** Where the keys are; https, unless it is a loopback address. */
      readonly hubUrl: string
      /**
       * The tokens' `iss`; the hub's URL unless the hub calls itself otherwise.
       *
       * @default hubUrl
       */
      readonly issuer?: string
      /**
       * Fetches keys over a network on which others could replace them.
       *
       * @default false
       */
      readonly allowPlainHttp?: boolean
      /**
       * Told why keys could not be fetched; the gate goes on with those it has. By default it is
       * printed.
       *
       * @default console.error
       */
      readonly onKeyFailure?: (error: unknown) => void
      /**
       * How often the gate asks the hub which tokens were revoked, from its creation to `close()`:
       * 1 to 30, by default 5.
       *
       * @default 5
       */
      readonly pollSeconds?: number
      /**
       * Told why that could not be asked, and again only when the reason changes. By default it is
       * printed.
       *
       * @default console.error
       */
      readonly onRevocationFailure?: (error: unknown) => void
    }
  | {
      readonly keys: KeySet | KeySource
      readonly issuer: string
      /**
       * Which tokens have been taken back; left out, a token is good until it expires.
       *
       * @default noRevocations
       */
      readonly revocations?: RevocationSource
    }

/** For which storage, and how its requests say what they address. */
export type PlaceOptions =
  /** As the hub has it; with `{repo}` and `{ref}` every request names both. */
  | { readonly casUrl: string; readonly isolation?: Isolation }
  | { readonly audience: string; readonly locate: Locator }
  | { readonly audience: string; readonly isolation: Isolation }

export interface OtherOptions {
  /** @default {} */
  readonly rules?: ScopeRules
  /**
   * Slashes in keys that pass on unchanged: `%2F`, and one at the end. By default such paths are
   * refused.
   *
   * @default []
   */
  readonly allowPaths?: readonly SlashForm[]
  /**
   * Routes that need no token, such as a health check. Their requests carry no grant, whatever token they bring.
   *
   * @default []
   */
  readonly publicRoutes?: readonly PublicRoute[]
  /**
   * How far the clocks of hub and gate may be apart, and how long after `exp` a request may still
   * begin: 0 to 60.
   *
   * @default 30
   */
  readonly leewaySeconds?: number
  /**
   * Forged tokens a minute from one address, after which its unseen tokens are verified in a queue;
   * 0 is no limit.
   *
   * @default 300
   */
  readonly failuresPerMinute?: number
  /**
   * The reaction to a hub that has been silent for a minute: the gate rejects requests (by
   * default), or allows them.
   *
   * @default 'reject'
   */
  readonly whenStale?: WhenStale
  /**
   * A check of your own, called for every request, also for tokens that were seen before.
   * Everything but `false` rejects.
   *
   * @default () => false
   */
  readonly isRevoked?: (grant: Grant) => boolean | Promise<boolean>
  /**
   * In whole Unix seconds. By default the time of the system.
   *
   * @default the system's time
   */
  readonly clock?: () => number
}

export interface ResolvedGateOptions {
  readonly issuer: string
  readonly audience: string
  readonly keys: KeySource
  readonly revocations: RevocationSource
  /** Whether the gate itself asks the hub at intervals. The owner of a source that was passed in polls it. */
  readonly pollsHub: boolean
  readonly placeOf: PlaceResolver
  readonly leewaySeconds: number
}

/** The names of all members of a union of options. */
type NamesOf<Options> = Options extends unknown ? keyof Options : never

/** Options with a rule of their own below are `any` here. */
const types: Readonly<Record<NamesOf<GateOptions>, string>> = {
  ...{ hubUrl: 'any', issuer: 'any', keys: 'object', allowPlainHttp: 'boolean' },
  ...{ revocations: 'object', pollSeconds: 'any', whenStale: 'any' },
  ...{ onKeyFailure: 'function', onRevocationFailure: 'function' },
  ...{ casUrl: 'any', isolation: 'any', audience: 'any', locate: 'function' },
  ...{
    rules: 'object',
    allowPaths: 'object',
    publicRoutes: 'object',
    leewaySeconds: 'any',
    failuresPerMinute: 'number',
  },
  ...{ isRevoked: 'function', clock: 'function' },
}

export function resolveOptions(options: GateOptions, clock: Clock): ResolvedGateOptions {
  refuseOptions('a gate', options, types, CannotStart)
  if (options.rules !== undefined) refuseMistypedRules(options.rules, CannotStart)
  const { leewaySeconds = 30 } = options
  if (!(leewaySeconds >= 0 && leewaySeconds <= 60)) {
    throw new CannotStart(`leewaySeconds: ${leewaySeconds} is not allowed; give 0 to 60`)
  }
  refuseOther('whenStale', options.whenStale, ['reject', 'allow'])
  for (const form of options.allowPaths ?? []) refuseOther('allowPaths', form, slashForms)
  if (options.rules?.everyUnsafeMethodWrites === true && options.rules.relaxOtherMethods === true) {
    throw new CannotStart(
      'rules: everyUnsafeMethodWrites and relaxOtherMethods exclude each other; give one of them',
    )
  }
  const wrong = options.rules?.write?.find((rule) => !isWriteRule(rule))
  if (wrong !== undefined) {
    throw new CannotStart(
      `rules: ${JSON.stringify(wrong)} matches no path; give one in its normal form, with * for a segment and ** for the rest`,
    )
  }
  return {
    ...resolveTrust(options, clock, leewaySeconds),
    ...resolvePlace(options, options.allowPaths),
    leewaySeconds,
  }
}

function refuseOther(name: string, option: unknown, allowed: readonly string[]): void {
  if (option === undefined || allowed.some((value) => value === option)) return
  throw new CannotStart(
    `${name}: ${JSON.stringify(option)} is not allowed; give ${allowed.join(' or ')}`,
  )
}

function resolveTrust(
  options: TrustOptions,
  clock: Clock,
  leewaySeconds: number,
): Pick<ResolvedGateOptions, 'issuer' | 'keys' | 'revocations' | 'pollsHub'> {
  if ('keys' in options) {
    const { keys, issuer, revocations = noRevocations } = options
    return {
      keys: 'known' in keys ? keys : fixedKeys(keys),
      ...{ issuer, revocations, pollsHub: false },
    }
  }
  const { hubUrl, issuer = hubUrl, allowPlainHttp = false, onKeyFailure = console.error } = options
  refuseHubUrl(hubUrl, allowPlainHttp)
  const { pollSeconds = defaultPollSeconds, onRevocationFailure = console.error } = options
  refuseUrl('issuer', issuer, isServiceUrl)
  if (!(pollSeconds >= 1 && pollSeconds <= 30)) {
    throw new CannotStart(`pollSeconds: ${pollSeconds} is not allowed; give 1 to 30`)
  }
  const keys = hubKeys({ fetchKeys: () => fetchKeys(hubUrl), clock, onFailure: onKeyFailure })
  const revocations = hubRevocations({
    documents: hubDocuments(hubUrl),
    ...{ issuer, clock, leewaySeconds, pollSeconds },
    onFailure: onRevocationFailure,
  })
  // workerd allows no timers outside of a request: there each request asks when it must.
  return { keys, issuer, revocations, pollsHub: !areRequestsApart }
}

function resolvePlace(
  options: PlaceOptions,
  allowPaths: GateOptions['allowPaths'],
): Pick<ResolvedGateOptions, 'audience' | 'placeOf'> {
  if ('casUrl' in options) {
    const { casUrl, isolation } = options
    refuseUrl('casUrl', casUrl, isCasUrl)
    const { audience } = storageAddress(casUrl)
    return { audience, placeOf: placeByPrefix(casUrl, isolation) }
  }
  const { audience } = options
  refuseUrl('audience', audience, isCasUrl)
  if ('locate' in options && options.locate !== undefined) {
    return { audience, placeOf: placeByLocate(options.locate, allowPaths) }
  }
  const isolation = 'isolation' in options ? options.isolation : undefined
  return { audience, placeOf: placeByPrefix(audience, isolation) }
}

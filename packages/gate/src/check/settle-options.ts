/** The options of a gate, checked and turned into what it works with. */

import {
  type Clock,
  defaultPollSeconds,
  isCasUrl,
  isServiceUrl,
  isWriteRule,
  refuseMistypedRules,
  refuseOptions,
  slashForms,
  storageAddress,
} from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { fetchKeys } from '../keys/fetch-keys.ts'
import { hubKeys } from '../keys/hub-keys.ts'
import { fixedKeys, type KeySource } from '../keys/key-source.ts'
import { refuseHubUrl, refuseUrl } from '../keys/refuse-url.ts'
import { type Placing, placeByLocate, placeByPrefix } from '../place/locate.ts'
import { hubDocuments } from '../revocations/hub-documents.ts'
import { hubRevocations } from '../revocations/hub-revocations.ts'
import { nothingRevoked, type RevocationSource } from '../revocations/revocation-source.ts'
import type { GateOptions, PlaceOptions, TrustOptions } from './options.ts'

export interface SettledGate {
  readonly issuer: string
  readonly audience: string
  readonly keys: KeySource
  readonly revocations: RevocationSource
  readonly placeOf: Placing
  readonly leewaySeconds: number
}

/** The names of all members of a union of options. */
type NamesOf<Options> = Options extends unknown ? keyof Options : never

/** Options with a rule of their own below are `any` here. */
const types: Readonly<Record<NamesOf<GateOptions>, string>> = {
  ...{ hubUrl: 'any', issuer: 'any', keys: 'object', allowPlainHttp: 'boolean' },
  ...{ revocations: 'object', pollSeconds: 'any', withoutNews: 'any' },
  ...{ onKeyFailure: 'function', onRevocationFailure: 'function' },
  ...{ casUrl: 'any', isolation: 'any', audience: 'any', locate: 'function' },
  ...{ rules: 'object', allowPaths: 'object', leewaySeconds: 'any', failuresPerMinute: 'number' },
  ...{ isStillGood: 'function', clock: 'function' },
}

export function settleOptions(options: GateOptions, clock: Clock): SettledGate {
  refuseOptions('a gate', options, types, CannotStart)
  if (options.rules !== undefined) refuseMistypedRules(options.rules, CannotStart)
  const { leewaySeconds = 30 } = options
  if (!(leewaySeconds >= 0 && leewaySeconds <= 60)) {
    throw new CannotStart(`leewaySeconds: ${leewaySeconds} is not allowed; give 0 to 60`)
  }
  refuseOther('withoutNews', options.withoutNews, ['refuse', 'admit'])
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
    ...settleTrust(options, clock, leewaySeconds),
    ...settlePlace(options, options.allowPaths),
    leewaySeconds,
  }
}

function refuseOther(name: string, given: unknown, allowed: readonly string[]): void {
  if (given === undefined || allowed.some((value) => value === given)) return
  throw new CannotStart(
    `${name}: ${JSON.stringify(given)} is not allowed; give ${allowed.join(' or ')}`,
  )
}

function settleTrust(
  options: TrustOptions,
  clock: Clock,
  leewaySeconds: number,
): Pick<SettledGate, 'issuer' | 'keys' | 'revocations'> {
  if ('keys' in options) {
    const { keys, issuer, revocations = nothingRevoked } = options
    return { keys: 'known' in keys ? keys : fixedKeys(keys), issuer, revocations }
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
  return { keys, issuer, revocations }
}

function settlePlace(
  options: PlaceOptions,
  allowPaths: GateOptions['allowPaths'],
): Pick<SettledGate, 'audience' | 'placeOf'> {
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

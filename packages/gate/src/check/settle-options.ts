/** The options of a gate, checked and turned into what it works with. */

import { type Clock, isCasUrl, isServiceUrl, isWriteRule, storageAddress } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'
import { fetchKeys } from '../keys/fetch-keys.ts'
import { hubKeys } from '../keys/hub-keys.ts'
import { fixedKeys, type KeySource } from '../keys/key-source.ts'
import { refuseHubUrl, refuseUrl } from '../keys/refuse-url.ts'
import { type Placing, placeByLocate, placeByPrefix } from '../place/locate.ts'
import { nothingRevoked, type RevocationSource } from '../revocations/revocation-source.ts'
import type { GateOptions, PlaceOptions, TrustOptions } from './options.ts'

export interface Settled {
  readonly issuer: string
  readonly audience: string
  readonly keys: KeySource
  readonly revocations: RevocationSource
  readonly placeOf: Placing
  readonly leewaySeconds: number
}

/** A mistyped name must not silently turn a guard off. */
const known: ReadonlySet<string> = new Set([
  ...['hubUrl', 'issuer', 'allowPlainHttp', 'onKeyFailure', 'keys'],
  ...['revocations', 'withoutNews'],
  ...['casUrl', 'isolation', 'audience', 'locate'],
  ...['rules', 'leewaySeconds', 'failuresPerMinute', 'isStillGood', 'clock'],
])

export function settleOptions(options: GateOptions, clock: Clock): Settled {
  const unknown = Object.keys(options).find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw new CannotStart(`${unknown} is no option of a gate; there are ${[...known].join(', ')}`)
  }
  const { leewaySeconds = 30 } = options
  if (!(leewaySeconds >= 0 && leewaySeconds <= 60)) {
    throw new CannotStart(`leewaySeconds: ${leewaySeconds} is not allowed; give 0 to 60`)
  }
  const wrong = options.rules?.write?.find((rule) => !isWriteRule(rule))
  if (wrong !== undefined) {
    throw new CannotStart(
      `rules: ${JSON.stringify(wrong)} matches no path; give one in its normal form, with * for a segment and ** for the rest`,
    )
  }
  return { ...settleTrust(options, clock), ...settlePlace(options), leewaySeconds }
}

function settleTrust(
  options: TrustOptions,
  clock: Clock,
): Pick<Settled, 'issuer' | 'keys' | 'revocations'> {
  if ('keys' in options) {
    const { keys, issuer, revocations = nothingRevoked } = options
    return { keys: 'known' in keys ? keys : fixedKeys(keys), issuer, revocations }
  }
  const { hubUrl, issuer = hubUrl, allowPlainHttp = false, onKeyFailure = console.error } = options
  refuseHubUrl(hubUrl, allowPlainHttp)
  refuseUrl('issuer', issuer, isServiceUrl)
  const keys = hubKeys({ fetchKeys: () => fetchKeys(hubUrl), clock, onFailure: onKeyFailure })
  return { keys, issuer, revocations: nothingRevoked }
}

function settlePlace(options: PlaceOptions): Pick<Settled, 'audience' | 'placeOf'> {
  if ('casUrl' in options) {
    const { casUrl, isolation } = options
    refuseUrl('casUrl', casUrl, isCasUrl)
    const { audience } = storageAddress(casUrl)
    return { audience, placeOf: placeByPrefix(casUrl, isolation) }
  }
  const { audience } = options
  refuseUrl('audience', audience, isCasUrl)
  if ('locate' in options && options.locate !== undefined) {
    return { audience, placeOf: placeByLocate(options.locate) }
  }
  const isolation = 'isolation' in options ? options.isolation : undefined
  return { audience, placeOf: placeByPrefix(audience, isolation) }
}

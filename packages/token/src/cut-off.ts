/** A cut-off: tokens that name a thing, and were decided before a number of the journal, are dead. */

import { hash } from 'node:crypto'
import type { JournalNumber } from '@latchkey/protocol'
import { largestLeewaySeconds, longestLifeSeconds } from './claims.ts'

export const cutOffKinds = [
  'token',
  'hub-token',
  'account',
  'account+repository',
  'account+namespace',
  'repository',
  'ref',
  'key',
  'all',
] as const

export type CutOffKind = (typeof cutOffKinds)[number]

/** What is cut: an id of the kind, two ids joined by a slash, or nothing for `all`. */
export interface CutOffPlace {
  readonly kind: CutOffKind
  readonly id: string
}

/** A token that is cut off for ever stays dead, whatever its `as_of`. In a list only keys have this number. */
export const forEver = Number.MAX_SAFE_INTEGER as JournalNumber

/** No journal reaches this number. The list adds to it when a final cut-off was made. */
const finalFrom = 2 ** 52

/** The number in a list of a token or hub token that never comes back. `made` is the number of the entry that cut it. */
export function finalNumber(made: JournalNumber): JournalNumber {
  return (finalFrom + made) as JournalNumber
}

/** Clocks of hubs may be apart, and a hub that lags may sign a little later. */
const marginSeconds = 3600

/** A cut-off is needed for so long after it was made: then no storage token is alive that it could end. */
export const cutOffLifeSeconds = longestLifeSeconds + largestLeewaySeconds + marginSeconds

/** The second in which a cut-off of a list is not needed any more. That of a key always is. */
export function endOfCutOff(number: JournalNumber): number {
  if (number === forEver) return Number.POSITIVE_INFINITY
  const made = number < finalFrom ? number : number - finalFrom
  return Math.ceil(made / 1000) + cutOffLifeSeconds
}

/** 43 characters. The list has nothing else of a thing, so it tells a reader nothing who lacks the id. */
export function cutOffHash({ kind, id }: CutOffPlace): string {
  return hash('sha256', `${kind}:${id}`, 'base64url')
}

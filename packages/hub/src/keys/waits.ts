/** How long a key must wait between its states, so that no verifier refuses a valid token. */

import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { maxHeadSeconds, maxLeewaySeconds } from '@latchkey/token'
import type { KeyPurpose } from '../tables/schema.ts'
import type { KeyFacts } from './key-state.ts'

/** How long verifiers and proxies may keep the published keys: the `max-age` of both documents. */
export const keyCacheSeconds = 300

/** How far the clocks of hubs and verifiers may be apart. */
export const skewSeconds = 60

/** A verifier fetches the keys every minute. Some of its answers may be late or lost, so it gets several tries. */
const fetchingSeconds = 240

/** Every verifier has the key before the first token comes with it. */
export const publishedSeconds = keyCacheSeconds + fetchingSeconds + skewSeconds

/** The last token of the key is over before a verifier can miss the key. */
export function retiringSeconds(maxLifetime: number): number {
  return maxLifetime + maxLeewaySeconds + keyCacheSeconds + skewSeconds
}

/** When a published key may sign at the earliest. */
export function maySignFrom({ created_at }: Pick<KeyFacts, 'created_at'>): UnixSeconds {
  return unixSeconds(created_at + publishedSeconds)
}

/** When a retiring key may be removed at the earliest. */
export function mayGoFrom(
  { max_lifetime }: Pick<KeyFacts, 'max_lifetime'>,
  retiredAt: number,
): UnixSeconds {
  return unixSeconds(retiredAt + retiringSeconds(max_lifetime))
}

/** How long what a hub signs lives, by the purpose of the key. */
export function lifetimesOf(tokenLifetimeSeconds: number): Readonly<Record<KeyPurpose, number>> {
  return { tokens: tokenLifetimeSeconds, revocations: maxHeadSeconds }
}

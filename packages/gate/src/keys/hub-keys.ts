/** The hub's keys: held while it is away, looked for again in the background, never more often than the cooldown allows. */

import { type Clock, type OptionTypes, refuseOptions, type UnixSeconds } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'
import type { KeySet } from '@latchkey/token'
import { areRequestsApart } from '../platform/requests-apart.ts'
import type { KeySource } from './key-source.ts'

export interface HubKeysOptions {
  readonly fetchKeys: () => Promise<KeySet>
  readonly clock: Clock
  /** Told why the keys could not be fetched. */
  readonly onFailure?: (error: unknown) => void
}

const types: OptionTypes<HubKeysOptions> = {
  fetchKeys: 'function',
  clock: 'function',
  onFailure: 'function',
}

/** The gate asks the hub for unknown keys at most once in this time. Regular looks do not count. */
export const cooldownSeconds = 10

/** Keys older than this are looked for again while they go on serving. */
export const freshSeconds = 60

/** Keys that could not be confirmed for so long are not trusted any more. */
export const longestStaleSeconds = 24 * 3600

export function hubKeys(options: HubKeysOptions): KeySource {
  refuseOptions('hubKeys', options, types, CannotStart)
  const { fetchKeys, clock, onFailure = () => {} } = options
  let held: { readonly keys: KeySet; readonly at: UnixSeconds } | undefined
  /** The last look for an unknown key, and the last regular one. */
  let askedAt: UnixSeconds | undefined
  let lookedAt: UnixSeconds | undefined
  let trying: Promise<boolean> | undefined

  const look = async (): Promise<boolean> => {
    try {
      held = { keys: await fetchKeys(), at: clock() }
      return true
    } catch (error) {
      onFailure(error)
      return false
    } finally {
      trying = undefined
    }
  }
  const isCooling = (since: UnixSeconds | undefined, now: UnixSeconds) =>
    since !== undefined && isWithin(now - since, cooldownSeconds)
  const refresh = async (): Promise<boolean> => {
    if (trying !== undefined && !areRequestsApart) {
      await trying
      return false
    }
    const now = clock()
    // The request that asks may end before its answer comes, and then nobody else gets that answer.
    const mayBeLost = trying !== undefined && held === undefined
    // The first look is a regular one: a key that comes right after it is asked for at once.
    const isFirst = held === undefined
    if (isCooling(isFirst ? lookedAt : askedAt, now) && !mayBeLost) return false
    if (isFirst) lookedAt = now
    else askedAt = now
    trying = look()
    return trying
  }
  const refreshRegularly = () => {
    const now = clock()
    const isUnderWay = trying !== undefined && !areRequestsApart
    if (isUnderWay || isCooling(lookedAt, now) || isCooling(askedAt, now)) return
    lookedAt = now
    trying = look()
  }
  return {
    known() {
      if (held === undefined) return undefined
      const age = clock() - held.at
      if (age > longestStaleSeconds) return undefined
      if (!isWithin(age, freshSeconds)) refreshRegularly()
      return held.keys
    },
    refresh,
  }
}

/** A clock that was set back must not stop the looking. */
function isWithin(passed: number, seconds: number): boolean {
  return passed >= 0 && passed < seconds
}

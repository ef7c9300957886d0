/** The tokens of one scope: one is held, shared by all who ask, and renewed before it is spent. */

import type { Scope } from '@latchkey/protocol'
import { elapsedMs } from '../clock/client-clock.ts'
import { LatchkeyError } from '../error/latchkey-error.ts'
import { retry, type TryAgain, waitAfter } from '../patience/retry.ts'
import { isPassing } from '../patience/worth-a-retry.ts'
import type { StorageToken } from './read-token-answer.ts'
import type { Hub, Received, RequestToken } from './request-token.ts'

export interface TokenSource {
  get(): Promise<StorageToken>
  /** Holds this token no longer: the storage did not take it. */
  drop(token: StorageToken): void
  close(): void
}

interface Held extends Received {
  readonly promise: Promise<StorageToken>
  readonly spentAfterMs: number
}

export function tokenSource(scope: Scope, request: RequestToken, hub: Hub): TokenSource {
  const { settled, credential, closing } = hub
  const { clock, random, refreshBufferSeconds } = settled
  const patience = { ...settled, signal: closing }
  let held: Held | undefined
  let isUsed = false
  let asking: Promise<StorageToken> | undefined
  let attempting: Promise<Received | LatchkeyError> | undefined
  let callOffRefresh = () => {}

  const isGood = ({ since, spentAfterMs, identity }: Held): boolean =>
    elapsedMs(clock, since) < spentAfterMs && identity === credential.identity()

  const hold = (received: Received): void => {
    const { token, lifeMs } = received
    // A token that lives shorter than the buffer is used for half of its life.
    const spentAfterMs = lifeMs - Math.min(refreshBufferSeconds * 1000, lifeMs / 2)
    held = { ...received, promise: Promise.resolve(token), spentAfterMs }
    isUsed = false
    refreshAfter(spentAfterMs - leadMs(spentAfterMs, random))
  }

  /** One request, however many want it. */
  const attempt = (): Promise<Received | LatchkeyError> => {
    attempting ??= request(scope)
      .then((received) => {
        if (!(received instanceof LatchkeyError) && !closing.aborted) hold(received)
        return received
      })
      .finally(() => {
        attempting = undefined
      })
    return attempting
  }

  const ask = async (): Promise<StorageToken> => {
    const received = await retry({ attempt, isWorthAnother }, patience)
    if (received instanceof LatchkeyError) throw received
    isUsed = true
    return received.token
  }

  const refreshAfter = (ms: number, failures = 0): void => {
    callOffRefresh()
    callOffRefresh = clock.later(ms, () => refresh(failures), { background: true })
  }

  /** In the background; a token that nobody has used since is let go. */
  const refresh = async (failures: number): Promise<void> => {
    if (!isUsed || held === undefined || !isGood(held)) return
    const outcome = await attempt().catch(() => undefined)
    const again = outcome instanceof LatchkeyError ? isWorthAnother(outcome) : undefined
    if (again !== undefined && !closing.aborted) {
      refreshAfter(waitAfter(failures, again, random), failures + 1)
    }
  }

  return {
    get() {
      if (held !== undefined && isGood(held)) {
        isUsed = true
        return held.promise
      }
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
    drop(token) {
      if (held?.token === token) held = undefined
    },
    close() {
      callOffRefresh()
      held = undefined
    },
  }
}

function isWorthAnother(outcome: Received | LatchkeyError): TryAgain | undefined {
  if (!(outcome instanceof LatchkeyError)) return undefined
  const { code, status = 0, retryAfterSeconds } = outcome
  if (code !== 'hub_unreachable' && !isPassing(status)) return undefined
  return { afterSeconds: retryAfterSeconds }
}

/** Long enough before it is spent for a slow hub, and not at the same moment as everybody. */
const longestLeadMs = 30_000

function leadMs(spentAfterMs: number, random: () => number): number {
  return Math.min(longestLeadMs, spentAfterMs / 10) * (0.5 + random() / 2)
}

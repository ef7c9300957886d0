/** The tokens of one scope: one is held, shared by all who ask, and renewed before it is spent. */

import { elapsedMs, type Scope, shareRunning } from '@latchkey/protocol'
import { momentOf } from '../clock/client-clock.ts'
import { LatchkeyError } from '../error/latchkey-error.ts'
import { retry, spread, waitAfter } from '../patience/retry.ts'
import { isTransient } from '../patience/worth-a-retry.ts'
import type { StorageToken } from './read-token-answer.ts'
import type { Hub, ReceivedToken, RequestToken } from './request-token.ts'

export interface TokenSource {
  get(): Promise<StorageToken>
  /** Holds this token no longer: the storage did not take it. */
  drop(token: StorageToken): void
  close(): void
}

interface Held extends ReceivedToken {
  readonly promise: Promise<StorageToken>
  readonly spentAfterMs: number
}

/** Long enough before it is spent for a slow hub. */
const maxLeadMs = 30_000

export function tokenSource(scope: Scope, request: RequestToken, hub: Hub): TokenSource {
  const { settled, credential, closing } = hub
  const { clock, random, refreshBufferSeconds } = settled
  const patience = { ...settled, signal: closing }
  // The hub's Date leaves out up to a second.
  const bufferMs = Math.max(1, refreshBufferSeconds) * 1000
  let held: Held | undefined
  let isUsed = false
  let callOffRefresh = () => {}

  const isGood = ({ since, spentAfterMs, identity }: Held): boolean =>
    elapsedMs(since, momentOf(clock)) < spentAfterMs && identity === credential.identity()

  const hold = (received: ReceivedToken): void => {
    const { token, lifeMs, since } = received
    // A token that lives shorter than the buffer is used for half of its life.
    const spentAfterMs = lifeMs - Math.min(bufferMs, lifeMs / 2)
    held = { ...received, promise: Promise.resolve(token), spentAfterMs }
    isUsed = false
    const leadMs = spread(Math.min(maxLeadMs, spentAfterMs / 10), random)
    refreshAfter(Math.max(0, spentAfterMs - leadMs - elapsedMs(since, momentOf(clock))))
  }

  const attempt = shareRunning(async (): Promise<ReceivedToken | LatchkeyError> => {
    const received = await request(scope)
    if (!(received instanceof LatchkeyError) && !closing.aborted) hold(received)
    return received
  })

  const ask = shareRunning(async () => {
    const received = await retry<ReceivedToken | LatchkeyError>({ attempt, againAfter }, patience)
    if (received instanceof LatchkeyError) throw received
    isUsed = true
    return received.token
  })

  const refreshAfter = (ms: number, failures = 0): void => {
    callOffRefresh()
    callOffRefresh = clock.later(ms, () => refresh(failures), { background: true })
  }

  /** In the background; a token that nobody has used since is let go. */
  const refresh = async (failures: number): Promise<void> => {
    if (!isUsed || held === undefined || !isGood(held)) return
    const outcome = await attempt().catch(() => undefined)
    const seconds = againAfter(outcome)
    if (seconds !== undefined && !closing.aborted) {
      refreshAfter(waitAfter(failures, seconds, random), failures + 1)
    }
  }

  return {
    get() {
      if (held === undefined || !isGood(held)) return ask()
      isUsed = true
      return held.promise
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

function againAfter(outcome: ReceivedToken | LatchkeyError | undefined): number | undefined {
  if (!(outcome instanceof LatchkeyError)) return undefined
  const { code, status, retryAfterSeconds = 0 } = outcome
  return code === 'hub_unreachable' || isTransient(status) ? retryAfterSeconds : undefined
}

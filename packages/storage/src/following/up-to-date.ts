/** Makes a write wait until the storage knows the hub's database as it was when the write asked. */

import { setTimeout as delay } from 'node:timers/promises'
import { CredentialError, HubLinkError, type RevocationSource } from '@latchkey/gate/hub-link'
import { type JournalNumber, refuse } from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/machine/time'
import type { UpToDate } from '../catalog/write-in-place.ts'
import type { AskHub } from './ask-hub.ts'

export interface UpdatePatience {
  readonly stopwatch: Stopwatch
  /** How long a write waits for the hub, with its body on the disk. */
  readonly patienceMs?: number
  readonly pauseMs?: number
}

/** A hub that is restarted is back by then. */
const defaultPatienceMs = 30_000

/** An answer that took longer may miss a revocation that was acknowledged meanwhile, so the storage asks again. */
export const maxAnswerAgeMs = 1000

export interface AskedHub {
  readonly ask: AskHub
  readonly revocations: Pick<RevocationSource, 'latest' | 'refresh'>
}

export function upToDate(
  { ask, revocations }: AskedHub,
  { stopwatch, patienceMs = defaultPatienceMs, pauseMs = 250 }: UpdatePatience,
): UpToDate {
  const knows = (number: JournalNumber) => (revocations.latest()?.seq ?? 0) >= number
  const askAll = async (): Promise<JournalNumber | undefined> => {
    const number = await ask()
    // Between two entries of the journal a write costs no question more.
    if (!knows(number)) await revocations.refresh()
    return knows(number) ? number : undefined
  }
  return async () => {
    const giveUpAt = stopwatch() + patienceMs
    for (;;) {
      const askedAt = stopwatch()
      try {
        const number = await askAll()
        const isLate = stopwatch() - askedAt > maxAnswerAgeMs
        if (number !== undefined && !isLate) return number
        if (isLate && stopwatch() < giveUpAt) continue
      } catch (error) {
        if (error instanceof CredentialError) return credentialRefused
        if (!(error instanceof HubLinkError)) throw error
      }
      if (stopwatch() + pauseMs > giveUpAt) return hubAway
      await delay(pauseMs)
    }
  }
}

/** Waiting would not help here, so the storage refuses immediately. */
export const credentialRefused = refuse(
  'hub_unavailable',
  'The hub does not accept the credential of this storage, which asks the hub before every write, so nothing was stored. Tell the operator of the storage: its log says what to do.',
  { retryAfterSeconds: 30 },
)

const hubAway = refuse(
  'hub_unavailable',
  'The storage cannot reach its hub, which it asks before every write, so nothing was stored. Send the upload again in a few seconds; if that does not help, tell the operator.',
  { retryAfterSeconds: 5 },
)

/** Revocations in memory: a test decides what the hub revokes, and when a gate learns of it. */

import type { JournalNumber } from '@latchkey/protocol'
import type { RevocationTarget } from '@latchkey/token'
import type { RevocationSource, Snapshot } from '../revocations/revocation-source.ts'
import type { PublishedRevocations } from './published-revocations.ts'

export interface MemoryRevocations extends RevocationSource {
  /** At the hub. Gates learn of it when they ask. */
  cut(target: RevocationTarget, number?: JournalNumber): JournalNumber
  /** From now on the hub does not answer, and what it last said is over. */
  withhold(): void
  /** The hub answers again. */
  give(): void
  /** How often the hub was asked. */
  readonly asked: number
  readonly isWithheld: boolean
}

/** Without a network: the same cut-offs that a verifier elsewhere fetches from `hub`. */
export function memoryRevocations(hub: PublishedRevocations): MemoryRevocations {
  const listeners = new Set<() => void>()
  let isWithheld = false
  let askCount = 0
  let latest: Snapshot | undefined
  return {
    bounds: { normalSeconds: 9, withheldSeconds: 60 },
    latest: () => latest,
    isAskedInVain: () => isWithheld,
    async refresh() {
      askCount += 1
      const state = () => (isWithheld ? 'over' : 'current')
      if (!isWithheld) {
        const [seq, list] = [hub.number(), hub.entries()]
        latest = { seq, list, state, ageSeconds: () => 0, secondsLeft: () => 60 }
      }
      for (const listener of [...listeners]) listener()
    },
    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    poll: () => () => {},
    cut: hub.cut,
    withhold() {
      isWithheld = true
    },
    give() {
      isWithheld = false
    },
    get asked() {
      return askCount
    },
    get isWithheld() {
      return isWithheld
    },
  }
}

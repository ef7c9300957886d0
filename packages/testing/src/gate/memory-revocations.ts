/** Revocations in memory: the test says what the hub takes back, and when a gate hears of it. */

import type { RevocationSource, Snapshot } from '@latchkey/gate'
import { type JournalNumber, journalNumber } from '@latchkey/protocol'
import { cutOffHash, type RevocationList, type RevocationTarget } from '@latchkey/token'
import { startOfTime } from './storage-tokens.ts'

export interface MemoryRevocations extends RevocationSource {
  /** At the hub: tokens decided before this moment, or before another number, are dead. Gates hear of it when they ask. */
  cut(place: RevocationTarget, number?: JournalNumber): JournalNumber
  /** From now on the hub does not answer, and what it last said is over. */
  withhold(): void
  /** The hub answers again. */
  give(): void
  /** How often the hub was asked. */
  readonly asked: number
}

export function memoryRevocations(): MemoryRevocations {
  const listeners = new Set<() => void>()
  let seq = journalNumber(startOfTime * 1000)
  let list: RevocationList = new Map()
  let isWithheld = false
  let asked = 0
  let latest: Snapshot | undefined
  return {
    bounds: { normalSeconds: 9, withheldSeconds: 60 },
    latest: () => latest,
    isAskedInVain: () => isWithheld,
    async refresh() {
      asked += 1
      const state = () => (isWithheld ? 'over' : 'current')
      if (!isWithheld) latest = { seq, list, state, ageSeconds: () => 0, secondsLeft: () => 60 }
      for (const listener of [...listeners]) listener()
    },
    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    poll: () => () => {},
    cut(place, number = journalNumber(seq + 1)) {
      seq = journalNumber(seq + 1)
      list = new Map(list).set(cutOffHash(place), number)
      return number
    },
    withhold() {
      isWithheld = true
    },
    give() {
      isWithheld = false
    },
    get asked() {
      return asked
    },
  }
}

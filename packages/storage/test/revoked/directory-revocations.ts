/** What the hub of a world has taken back, as its database says; the storage hears of it when it asks, or not at all. */

import type { RevocationSource, Snapshot } from '@latchkey/gate'
import { journalNumber } from '@latchkey/protocol'
import type { World } from '@latchkey/testing/hub/world'
import { cutOffHash, type RevocationList, type RevocationTarget } from '@latchkey/token'

export interface DirectoryRevocations extends RevocationSource {
  /** From now on the hub says nothing about revocations, and what it last said is over. */
  withhold(): void
  /** It says so again. */
  give(): void
  /** What the storage knows is older than the bound promises, until it asks again. */
  growLate(): void
}

export function directoryRevocations({ store }: Pick<World, 'store'>): DirectoryRevocations {
  const listeners = new Set<() => void>()
  let isWithheld = false
  let isLate = false
  let latest: Snapshot | undefined
  let list: RevocationList = new Map()
  const ask = async () => {
    const rows = await store.directory.read((tables) =>
      tables.selectFrom('cut_offs').selectAll().execute(),
    )
    const head = await store.directory.read((tables) =>
      tables.selectFrom('journal_head').select('number').executeTakeFirstOrThrow(),
    )
    const now = new Map(rows.map((row) => [cutOffHash(row as RevocationTarget), row.number]))
    if (now.size !== list.size || [...now].some(([key, at]) => list.get(key) !== at)) list = now
    latest = {
      seq: journalNumber(head.number),
      list,
      state,
      ageSeconds: () => 0,
      secondsLeft: () => 60,
    }
  }
  const state = () => (isWithheld ? 'over' : isLate ? 'late' : 'current')
  return {
    bounds: { normalSeconds: 9, withheldSeconds: 60 },
    latest: () => latest,
    isAskedInVain: () => isWithheld,
    async refresh() {
      if (!isWithheld) await ask()
      isLate = false
      for (const listener of [...listeners]) listener()
    },
    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    poll: () => () => {},
    withhold() {
      isWithheld = true
    },
    give() {
      isWithheld = false
    },
    growLate() {
      isLate = true
    },
  }
}

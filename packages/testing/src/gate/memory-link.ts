/** A hub-link in memory: the test writes the hub's journal by hand, and decides when answers arrive. */

import type { KeySource } from '@latchkey/gate'
import { type ChangesQuestion, type HubLink, noRevocations } from '@latchkey/gate/hub-link'
import type { RepositoryUid } from '@latchkey/protocol'
import { type MemoryJournal, memoryJournal } from './memory-journal.ts'
import { type Wire, wire } from './wire.ts'

type Journal = Omit<MemoryJournal, 'read'>
type Carrying = Omit<Wire, 'ask'>

export interface MemoryLink extends HubLink, Journal, Carrying {
  /** The time of every question that waits is over. */
  endWaits(): void
  /** The repositories whose epochs were raised, in order. */
  readonly raised: readonly RepositoryUid[]
}

export interface MemoryLinkOptions {
  readonly keys?: KeySource
  /** How many entries one answer looks at. */
  readonly maxEntries?: number
}

const noKeys: KeySource = { known: () => undefined, refresh: async () => true }

export function memoryLink({
  keys = noKeys,
  maxEntries = 1000,
}: MemoryLinkOptions = {}): MemoryLink {
  const waiting = new Set<(isOver: boolean) => void>()
  const wakeAll = (isOver: boolean) => {
    for (const wake of [...waiting]) wake(isOver)
  }
  const { ask, ...carrying } = wire()
  const { read, ...journal } = memoryJournal(maxEntries, () => wakeAll(false))
  const raised: RepositoryUid[] = []
  return {
    keys,
    revocations: noRevocations,
    raised,
    ...carrying,
    ...journal,
    endWaits: () => wakeAll(true),
    changes: ({ after, waitSeconds = 0, signal }: ChangesQuestion) =>
      ask(signal, (answer) => {
        const wake = (isOver: boolean) => {
          const found = read(after)
          const hasNews = after === undefined || found.number !== after
          if (!hasNews && !isOver) return
          waiting.delete(wake)
          answer(found)
        }
        waiting.add(wake)
        signal?.addEventListener('abort', () => waiting.delete(wake))
        wake(waitSeconds === 0)
      }),
    quotas: ({ signal }) =>
      ask(signal, (answer) => answer({ number: journal.head(), repositories: [], namespaces: [] })),
    raiseEpochs: (repositories) =>
      ask(undefined, (answer) => {
        const found = [...new Set(repositories)].filter(journal.isPlace)
        raised.push(...found)
        for (const _ of found) journal.advance()
        answer(undefined)
      }),
    findUnknown: (uids) =>
      ask(undefined, (answer) => answer(new Set(uids.filter((uid) => !journal.isPlace(uid))))),
  }
}

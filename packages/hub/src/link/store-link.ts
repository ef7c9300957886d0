/**
 * The link of the storage at `casUrl` straight to the hub's database, for commands on the hub's own machine. Other storages
 * have a data directory of their own and ask over HTTP.
 */

import {
  asRefUid,
  defaultStorage,
  isRefusal,
  type JournalNumber,
  journalNumber,
  type RefUid,
  type RepositoryUid,
} from '@latchkey/protocol'
import { findHead } from '../journal/read-journal.ts'
import type { Store } from '../stores/store.ts'
import type { Origin } from '../tables/change.ts'
import { raiseEpochs } from '../verbs/repository-rows.ts'
import { findKnown } from './find-known.ts'
import { type QuotaPage, type QuotaStates, readQuotas } from './quota-states.ts'
import { readChanges } from './read-changes.ts'

type PlaceUid = RepositoryUid | RefUid

/** The same answers as over HTTP, which the routes of the link give. */
export interface StoreLink {
  changes(question: { readonly after?: JournalNumber }): Promise<StoreChanges | LostCursor>
  quotas(question: { readonly after?: string }): Promise<QuotaPage>
  raiseEpochs(repositories: readonly RepositoryUid[]): Promise<void>
  /** Gives how many repositories there are. */
  raiseAllEpochs(): Promise<number>
  findUnknown(uids: readonly PlaceUid[]): Promise<ReadonlySet<PlaceUid>>
}

interface StoreChanges {
  readonly kind: 'changes'
  readonly number: JournalNumber
  readonly removed: readonly PlaceUid[]
  readonly isComplete: boolean
  readonly quotas?: QuotaStates
}

interface LostCursor {
  readonly kind: 'unknown cursor'
  /** The journal's last number. */
  readonly number: JournalNumber
}

export function storeLink(
  { directory, readBeside }: Pick<Store, 'directory' | 'readBeside'>,
  origin: Origin,
): StoreLink {
  return {
    async changes({ after }) {
      const answer = await readBeside((tables) => readChanges(tables, defaultStorage, after))
      if (isRefusal(answer)) {
        const { number } = await readBeside(findHead)
        return { kind: 'unknown cursor', number: journalNumber(number) }
      }
      const { number, removed, complete, quotas } = answer
      return {
        kind: 'changes',
        number: journalNumber(number),
        removed: removed.map((uid) => asRefUid(uid)),
        isComplete: complete,
        ...(quotas && { quotas }),
      }
    },
    quotas: ({ after }) => readBeside((tables) => readQuotas(tables, defaultStorage, after)),
    async raiseEpochs(repositories) {
      await raiseEpochs(directory, origin, repositories, defaultStorage)
    },
    raiseAllEpochs: () => raiseEpochs(directory, origin, 'all', defaultStorage),
    async findUnknown(uids) {
      const knownUids = await readBeside((tables) => findKnown(tables, defaultStorage, uids))
      return new Set(uids.filter((uid) => !knownUids.has(uid)))
    },
  }
}

/** A hub's journal and directory as a storage sees them, written by the test. */

import type { HubChanges, PlaceUid, UnknownCursor } from '@latchkey/gate/hub-link'
import { type JournalNumber, journalNumber, type RepositoryUid } from '@latchkey/protocol'

export interface MemoryJournal {
  /** The last number. */
  head(): JournalNumber
  /** Adds a repository, or a ref or commit of one, and gives the number of the entry. */
  add(uid: PlaceUid, repository?: RepositoryUid): JournalNumber
  /** A repository takes its refs and commits with it. */
  remove(uid: PlaceUid): JournalNumber
  /** Appends an entry that adds and removes nothing, so many numbers further. */
  advance(by?: number): JournalNumber
  /** As after a restored backup: no earlier number is in the journal, and some places were never made. */
  lose(without?: readonly PlaceUid[]): JournalNumber
  isPlace(uid: PlaceUid): boolean
  /** What a hub answers now. */
  read(after: JournalNumber | undefined): HubChanges | UnknownCursor
}

interface Entry {
  readonly number: JournalNumber
  readonly removed: readonly PlaceUid[]
}

const start = journalNumber(1_800_000_000_000)

/** `maxEntries` is how many entries one answer looks at; `grown` is called after every entry. */
export function memoryJournal(maxEntries: number, grown: () => void): MemoryJournal {
  const places = new Map<PlaceUid, RepositoryUid | undefined>()
  let journal: readonly Entry[] = [{ number: start, removed: [] }]
  const head = () => journal.at(-1)?.number ?? start
  const write = (earlier: readonly Entry[], by: number, removed: readonly PlaceUid[] = []) => {
    const number = journalNumber(head() + by)
    journal = [...earlier, { number, removed }]
    grown()
    return number
  }
  const forget = (uid: PlaceUid) => {
    for (const [place, repository] of places) if (repository === uid) places.delete(place)
    places.delete(uid)
  }
  return {
    head,
    add(uid, repository) {
      places.set(uid, repository)
      return write(journal, 1)
    },
    remove(uid) {
      forget(uid)
      return write(journal, 1, [uid])
    },
    advance: (by = 1) => write(journal, by),
    lose(without = []) {
      for (const uid of without) forget(uid)
      return write([], 1000)
    },
    isPlace: (uid) => places.has(uid),
    read: (after) => readAfter(journal, after, maxEntries),
  }
}

function readAfter(
  journal: readonly Entry[],
  after: JournalNumber | undefined,
  maxEntries: number,
): HubChanges | UnknownCursor {
  const head = journal.at(-1)?.number ?? start
  const known = journal.findLastIndex(({ number }) => number === after)
  if (known === -1 && after !== undefined) return { kind: 'unknown cursor', number: head }
  const entries = journal.slice(known + 1, known + 1 + maxEntries)
  const isComplete = entries.length < maxEntries
  return {
    kind: 'changes',
    number: isComplete ? head : (entries.at(-1)?.number ?? head),
    removed: entries.flatMap(({ removed }) => removed),
    isComplete,
  }
}

/**
 * Interprets the rows of a ref: where it comes from, and which refs contain or contained its
 * commit.
 */

import type { JournalNumber, RefName, RefUid } from '@latchkey/protocol'
import type { Ancestor, Holder, RefFacts } from '../permission/access-facts.ts'
import {
  type FixedRefRecord,
  type Fork,
  type HolderRecord,
  type MovingRefRecord,
  maxAncestors,
} from './access-store.ts'

type Forks = ReadonlyMap<RefUid, Fork>

/** One for all, because caches keep tens of thousands of them. */
const none: readonly never[] = []

/** Branches and other refs that move hold commits; nothing holds them. */
export function movingRefFacts({ uid, name, commit, forks }: MovingRefRecord): RefFacts {
  return {
    uid,
    name,
    commit,
    ancestry: forks.length === 0 ? none : ancestryOf(uid, byRef(forks)),
    holders: none,
    pastHolders: none,
  }
}

/** Tags and commits come from no fork; the moving refs that hold them do. */
export function fixedRefFacts(
  { uid, name, commit, forks, ...held }: FixedRefRecord,
  defaultBranch: RefName,
): RefFacts {
  const forksByRef = byRef(forks)
  const holders = inOrder(held.holders, defaultBranch).map((holder) =>
    withAncestry(holder, forksByRef),
  )
  // A tag without a holder is judged by its own name, as a commit is by its hash.
  const pastHolders = held.pastHolders.map((past) => (past === commit ? name : past))
  return { uid, name, commit, ancestry: [], holders, pastHolders }
}

function byRef(forks: readonly Fork[]): Forks {
  return new Map(forks.map((fork) => [fork.uid, fork]))
}

function withAncestry({ uid, name, recordedNumber }: HolderRecord, forks: Forks): Holder {
  return {
    uid,
    name,
    recordedNumber,
    // Thousands of refs may hold a commit, and a token sees eight: each line is walked when it is needed.
    get ancestry() {
      return ancestryOf(uid, forks, recordedNumber)
    },
  }
}

/** The origins of a ref, nearest first. Each ends at the limit or at the earliest fork on the way. */
function ancestryOf(refUid: RefUid, forks: Forks, limit?: JournalNumber): readonly Ancestor[] {
  const ancestry: Ancestor[] = []
  let fork = forks.get(refUid)
  let before = limit
  while (fork !== undefined && ancestry.length < maxAncestors) {
    const { forkedNumber } = fork
    before = before !== undefined && before < forkedNumber ? before : forkedNumber
    ancestry.push({ uid: fork.fromUid, before })
    fork = forks.get(fork.fromUid)
  }
  return ancestry
}

/** First the ref that recorded the commit first, then the default branch, then the oldest. */
function inOrder(
  holders: readonly HolderRecord[],
  defaultBranch: RefName,
): readonly HolderRecord[] {
  const [first, ...others] = holders
  if (first === undefined) return []
  const isDefault = ({ name }: HolderRecord) => Number(name === defaultBranch)
  others.sort(
    (one, other) => isDefault(other) - isDefault(one) || one.refPosition - other.refPosition,
  )
  return [first, ...others]
}

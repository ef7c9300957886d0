/** Finds what bears on one token request: the caller, and the repository as the caller's account sees it. */

import type { JournalNumber, RepoRef, UnixSeconds } from '@latchkey/protocol'
import type { CacheBound } from '@latchkey/service/limits/growing-cache'
import type { CallerRecord } from '../identity/caller.ts'
import type { RepositoryFacts, WantedRevision } from '../permission/access-facts.ts'
import type { AccessStore, DirectoryVersion } from './access-store.ts'
import { type AnswerCache, answerCache } from './answer-cache.ts'
import { emptyCaches } from './caches.ts'
import { lookUpIn } from './look-up.ts'
import type { Moment } from './moment.ts'
import { watchVersion } from './watch-version.ts'

export interface AccessQuestion {
  /** With a hub token that has expired by now, no repository is looked up. */
  readonly now: UnixSeconds
  /** Undefined for an anonymous caller. */
  readonly hubTokenHash: string | undefined
  /** Undefined when no repository can have the requested name. */
  readonly repo: RepoRef | undefined
  readonly revision: WantedRevision
  /** Nothing is taken from a cache that may be older than the question. */
  readonly anew?: boolean
}

export interface AccessFacts {
  /** Every fact is of a view of the directory that has the journal's entries up to this one, or more. */
  readonly asOf: JournalNumber
  /** No fact is older than this moment. */
  readonly learned: Moment
  /** Whether the facts have every change that was committed before the question. */
  readonly isCurrent: boolean
  /** Whether the same was asked for lately: only then it is worth remembering. */
  readonly isRecurring: boolean
  readonly caller: CallerRecord | undefined
  readonly repository: RepositoryFacts | undefined
}

export interface Access {
  /** At once when the caches have all of them. */
  findAccess(question: AccessQuestion): AccessFacts | Promise<AccessFacts>
  /** Every hub token prefix ever configured; at once when the cache has them. */
  knownPrefixes(): ReadonlySet<string> | Promise<ReadonlySet<string>>
  /** The same, and every one that was configured before the question is among them. */
  currentPrefixes(): ReadonlySet<string> | Promise<ReadonlySet<string>>
  /** Whether facts of this moment may still be signed. */
  isFresh(learned: Moment): boolean
  /** Undefined where the store has not heard of its version for too long. */
  currentVersion(): DirectoryVersion | undefined
  /** A cache that is emptied with the others, for what follows from the facts alone. */
  cacheOf<Answer extends NonNullable<unknown>>(bound: CacheBound<Answer>): AnswerCache<Answer>
}

const every = 'every'

/** Caches the store's answers while its version stays. A request whose answers are cached waits for nothing. */
export function accessOf(store: AccessStore): Access {
  const caches = emptyCaches()
  const all: Pick<AnswerCache<never>, 'empty'>[] = Object.values(caches)
  const checkVersion = watchVersion(store, () => {
    for (const cache of all) cache.empty()
  })
  const lookUp = lookUpIn(store, caches)
  const askPrefixes = async () => {
    const keep = caches.prefixes.asking()
    const found = await store.findPrefixes()
    keep(every, found)
    return found
  }
  const findPrefixes = () => caches.prefixes.get(every) ?? askPrefixes()
  const knownPrefixes = () =>
    store.untilBack(() => {
      checkVersion()
      return findPrefixes()
    })

  return {
    knownPrefixes,
    currentPrefixes: store.isExact ? knownPrefixes : () => store.untilBack(askPrefixes),
    isFresh: (learned) => store.isFresh(learned),
    // The version comes before the facts: what is cached was asked for under it or a newer one, and so is the rest.
    findAccess: (question) => store.untilBack(() => lookUp(question, checkVersion())),
    currentVersion() {
      try {
        return checkVersion()
      } catch {
        return undefined
      }
    },
    cacheOf(bound) {
      const cache = answerCache(bound)
      all.push(cache)
      return cache
    },
  }
}

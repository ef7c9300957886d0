/** Finds what bears on one token request: the caller, and the repository as the caller's account sees it. */

import type { Moment } from '@latchkey/protocol'
import type { CacheBound } from '@latchkey/service/limits/cache'
import type { AccessStore, DirectoryVersion } from './access-store.ts'
import { type AnswerCache, answerCache, emptyCaches } from './caches.ts'
import { type AccessFacts, type AccessQuestion, lookUpIn } from './look-up.ts'
import { watchVersion } from './watch-version.ts'

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

/** Caches the store's answers while the mark of its version stays. A request whose answers are cached waits for nothing. */
export function accessOf(store: AccessStore): Access {
  const caches = emptyCaches()
  const all: Pick<AnswerCache<never>, 'empty'>[] = Object.values(caches)
  const checkVersion = watchVersion(
    store,
    () => {
      for (const cache of all) cache.empty()
    },
    caches.strangers.empty,
  )
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

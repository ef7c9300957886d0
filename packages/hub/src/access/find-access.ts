/** Finds what bears on one token request: first the caller, then the repository as the caller's account sees it. */

import {
  type AccountId,
  formatRepoRef,
  formatRevision,
  isRefusal,
  type JournalNumber,
  type RepoRef,
  type UnixSeconds,
} from '@latchkey/protocol'
import { anonymous, type Caller, type CallerRecord } from '../identity/caller.ts'
import { identifyCaller } from '../identity/identify-caller.ts'
import type { RepositoryFacts, WantedRevision } from '../permission/access-facts.ts'
import { carriedBy } from '../permission/reach.ts'
import type { AccessStore } from './access-store.ts'
import { emptyCaches } from './caches.ts'
import { type FindRepository, namesOf, whatAccountSees } from './find-repository.ts'
import { watchVersion } from './watch-version.ts'

export interface AccessQuestion {
  /** With a hub token that has expired by now, no repository is looked up. */
  readonly now: UnixSeconds
  /** Undefined for an anonymous caller. */
  readonly hubTokenHash: string | undefined
  /** Undefined when no repository can have the requested name. */
  readonly repo: RepoRef | undefined
  readonly revision: WantedRevision
}

export interface AccessFacts {
  /** Every fact is of a view of the directory that has the journal's entries up to this one, or more. */
  readonly asOf: JournalNumber
  readonly caller: CallerRecord | undefined
  readonly repository: RepositoryFacts | undefined
}

export interface Access {
  findAccess(question: AccessQuestion): Promise<AccessFacts>
  /** Every hub token prefix ever configured; at once when the cache has them. */
  knownPrefixes(): ReadonlySet<string> | Promise<ReadonlySet<string>>
}

/** Caches the store's answers while its version stays. A request whose answers are cached waits for nothing. */
export function accessOf(store: AccessStore): Access {
  const { callers, repositories, prefixes } = emptyCaches()
  const checkVersion = watchVersion(store, () => {
    for (const cache of [callers, repositories, prefixes]) cache.empty()
  })

  const askCaller = (hash: string) =>
    callers.keep(hash, store.findCaller(hash), (found) => found ?? false)
  const askRepository = (key: string, ...[accountId, repo, revision]: Parameters<FindRepository>) =>
    repositories.keep(
      key,
      store.findRepository(accountId, repo, namesOf(revision)),
      (found) => whatAccountSees(found) ?? false,
    )
  const findPrefixes = () =>
    prefixes.get('all') ?? prefixes.keep('all', store.findPrefixes(), (found) => found)

  return {
    knownPrefixes() {
      const checking = checkVersion()
      return checking instanceof Promise ? checking.then(findPrefixes) : findPrefixes()
    },
    async findAccess({ hubTokenHash, now, repo, revision }) {
      // Before the facts: what is cached was asked for under this version or a newer one, and so is the rest.
      const checking = checkVersion()
      const { number: asOf } = checking instanceof Promise ? await checking : checking

      // The caller is judged here to save the second question; `authenticate` judges again, for the answer.
      const isAnonymous = hubTokenHash === undefined
      const found = !isAnonymous && (callers.get(hubTokenHash) ?? (await askCaller(hubTokenHash)))
      const record = found || undefined
      const caller = isAnonymous ? anonymous : identifyCaller(record, now)
      if (isRefusal(caller) || repo === undefined) {
        return { asOf, caller: record, repository: undefined }
      }

      const accountId = accountSeeing(repo, caller)
      const key = keyOf(accountId, repo, revision)
      const repository =
        repositories.get(key) ?? (await askRepository(key, accountId, repo, revision))
      return { asOf, caller: record, repository: repository || undefined }
    },
  }
}

/**
 * Security boundary: a repository outside the hub token's grants is looked up without an account, so it answers like a
 * private one.
 */
function accountSeeing(repo: RepoRef, caller: Caller): AccountId | undefined {
  return carriedBy(caller, repo).length === 0 ? undefined : caller.accountId
}

/** Short, and never the same for two kinds. All revisions that cannot exist share one entry, however long they are. */
function keyOf(accountId: AccountId | undefined, repo: RepoRef, revision: WantedRevision): string {
  const { kind } = revision
  const named = kind === 'default' || kind === 'impossible' ? kind : `=${formatRevision(revision)}`
  const account = accountId ?? ''
  return `${account} ${formatRepoRef(repo)} ${named}`
}

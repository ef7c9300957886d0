/** Looks up the caller and the repository of one request: in the caches first, and what they lack in one question. */

import {
  type AccountId,
  formatRepoRef,
  formatRevision,
  isRefusal,
  type JournalNumber,
  type Moment,
  type Refusal,
  type RepoRef,
  type UnixSeconds,
} from '@latchkey/protocol'
import { anonymous, type Caller, type CallerRecord } from '../identity/caller.ts'
import { identifyCaller, invalidHubToken } from '../identity/identify-caller.ts'
import type { RepositoryFacts, WantedRevision } from '../permission/access-facts.ts'
import { carriedBy } from '../permission/reach.ts'
import type { AccessStore, DirectoryVersion, StoreAnswer, Viewer } from './access-store.ts'
import type { Caches } from './caches.ts'
import { namesOf, whatAccountSees } from './find-repository.ts'
import { sightings } from './sightings.ts'

export interface AccessQuestion {
  /** With a hub token that has expired by now, no repository is looked up. */
  readonly now: UnixSeconds
  /** Undefined for an anonymous caller. */
  readonly hubTokenHash: string | undefined
  /** Undefined when no repository can have the requested name. */
  readonly repo: RepoRef | undefined
  readonly revision: WantedRevision
  /** Reads past caches that may be older than the request. */
  readonly anew?: boolean
  /** For a page, whose caller is a session: no other caller is admitted then. */
  readonly isOfSession?: boolean
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
  /** Judged here, once: as whom the repository is looked up follows from it. */
  readonly caller: Caller | Refusal
  /** The owner of a hub token that is revoked or has expired, or of a disabled account. For the log alone. */
  readonly refusedCaller?: CallerRecord | undefined
  readonly repository: RepositoryFacts | undefined
}

/** Gives a promise only when the store has to be asked. */
export type LookUp = (
  question: AccessQuestion,
  version: DirectoryVersion,
) => AccessFacts | Promise<AccessFacts>

/** A caller is refused until the store has given the record. */
const notIdentified = invalidHubToken()

export function lookUpIn(store: AccessStore, { callers, strangers, repositories }: Caches): LookUp {
  const recentKeys = sightings()
  const emptyAfterJump = onClockSetBack(() => repositories.empty())
  return (question, { number: asOf, learned }) => {
    const { hubTokenHash: hash, repo, now } = question
    emptyAfterJump(now)
    const mayUseCaches = store.isExact || question.anew !== true
    let caller: Caller | Refusal = hash === undefined ? anonymous : notIdentified
    let cached: RepositoryFacts | false | undefined
    let key = ''
    /** Undefined also where the repository is cached. */
    const viewerOf = (record: CallerRecord | undefined): Viewer | undefined => {
      if (hash !== undefined) caller = identifyCaller(record, now, question.isOfSession)
      if (repo === undefined || isRefusal(caller)) return undefined
      const viewer = { accountId: accountSeeing(repo, caller) }
      key = keyOf(viewer, question)
      cached = mayUseCaches ? stillTrue(repositories.get(key), now) : undefined
      return cached === undefined ? viewer : undefined
    }

    const isCached = hash !== undefined && mayUseCaches
    const cachedCaller = isCached ? callers.get(hash) : undefined
    const isStranger = isCached && cachedCaller === undefined && strangers.get(hash) === true
    const isCallerCached = cachedCaller !== undefined || isStranger
    const isCallerKnown = hash === undefined || isCallerCached
    const viewer = isCallerKnown ? viewerOf(cachedCaller) : undefined
    if (isCallerKnown && viewer === undefined) {
      const isCurrent = store.isExact || (hash === undefined && cached === undefined)
      const refusedCaller = isRefusal(caller) ? cachedCaller : undefined
      const repository = cached || undefined
      return { asOf, learned, isCurrent, isRecurring: true, caller, refusedCaller, repository }
    }
    const [keepCaller, keepStranger] = [callers.asking(), strangers.asking()]
    const keepRepository = repositories.asking()
    let builtViewer = viewer
    const found = store.find({
      now,
      hubTokenHash: isCallerKnown ? undefined : hash,
      about: repo && { repo, names: namesOf(question.revision) },
      viewerOf(record) {
        builtViewer ??= viewerOf(record)
        return builtViewer
      },
    })
    return Promise.resolve(found).then(keep)

    function keep({ caller: record = cachedCaller, repository: rows }: StoreAnswer): AccessFacts {
      if (!isCallerKnown && record !== undefined) keepCaller(hash, record)
      if (!isCallerKnown && record === undefined) keepStranger(hash, true)
      const facts = rows && whatAccountSees(rows, now)
      const isRecurring = builtViewer === undefined || recentKeys.note(key)
      if (builtViewer !== undefined && isRecurring) keepRepository(key, facts ?? false)
      const isCurrent = store.isExact || (!isCallerCached && cached === undefined)
      const refusedCaller = isRefusal(caller) ? record : undefined
      const repository = facts ?? (cached || undefined)
      return { asOf, learned, isCurrent, isRecurring, caller, refusedCaller, repository }
    }
  }
}

/** Requests that are served late have an older time. */
const maxLateSeconds = 10

/** With a clock that was ahead, memberships seemed to have ended: that is not the truth any more. */
function onClockSetBack(empty: () => void): (now: UnixSeconds) => void {
  let latest: number = 0
  return (now) => {
    if (now < latest - maxLateSeconds) empty()
    else if (now <= latest) return
    latest = now
  }
}

/**
 * The renewal of a membership empties no cache. So long before the end that is known, the store is
 * asked: otherwise tokens would become ever shorter until the end.
 */
export const renewalSeconds = 300

/** A role that comes from memberships ends with them, also where nothing is written. */
function stillTrue(
  cached: RepositoryFacts | false | undefined,
  now: UnixSeconds,
): RepositoryFacts | false | undefined {
  const until = cached ? cached.roleUntil : undefined
  return until !== undefined && until <= now + renewalSeconds ? undefined : cached
}

/**
 * Security boundary: a repository outside the hub token's grants is looked up without an account, so it answers like a
 * private one.
 */
function accountSeeing(repo: RepoRef, caller: Caller): AccountId | undefined {
  return carriedBy(caller, repo).length === 0 ? undefined : caller.accountId
}

/** Short, and never the same for two kinds. All revisions that cannot exist share one entry, however long they are. */
function keyOf({ accountId }: Viewer, { repo, revision }: AccessQuestion): string {
  const { kind } = revision
  const named = kind === 'default' || kind === 'impossible' ? kind : `=${formatRevision(revision)}`
  const [account, path] = [accountId ?? '', repo && formatRepoRef(repo)]
  return `${account} ${path} ${named}`
}

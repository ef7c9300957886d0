/** Remembers answers of the hot path for as long as no connection has changed the database. */

import type { DatabaseSync } from 'node:sqlite'
import { formatRepoRef, formatRevision, isRefusal } from '@latchkey/protocol'
import { LRUCache } from 'lru-cache'
import { anonymous, type CallerRecord } from '../../identity/caller.ts'
import { identifyCaller } from '../../identity/identify-caller.ts'
import type {
  AccessQuestion,
  FindRepository,
  RepositoryFacts,
  WantedRevision,
} from '../../permission/access-facts.ts'
import { carriedBy } from '../../permission/reach.ts'
import type { Store } from '../store.ts'
import { prepareFindCaller } from './find-caller.ts'
import { prepareFindRepository } from './find-repository.ts'

const mostCallers = 10_000
const mostRepositories = 50_000

/** Thousands of branches can hold a commit, so an answer counts with its holders, past ones included. */
const mostHolders = 250_000

export type CachedAccess = Pick<Store, 'findAccess' | 'findRepository' | 'knownPrefixes'>

export function cachedAccess(database: DatabaseSync): CachedAccess {
  const allPrefixes = database.prepare('SELECT prefix FROM hub_token_prefixes')
  const findCaller = prepareFindCaller(database)
  const findRepository = prepareFindRepository(database)
  // `false` stands for an absent one: it must cost as much as a hidden repository, which is cached too.
  const callers = new LRUCache<string, CallerRecord | false>({ max: mostCallers })
  const repositories = new LRUCache<string, RepositoryFacts | false>({
    max: mostRepositories,
    maxSize: mostHolders,
    sizeCalculation: (facts) => 1 + (facts === false ? 0 : holdersIn(facts)),
  })
  let prefixes: ReadonlySet<string> | undefined
  const forgetIfChanged = changeWatcher(database, () => {
    callers.clear()
    repositories.clear()
    prefixes = undefined
  })

  const caller = (hash: string): CallerRecord | undefined => {
    const known = callers.get(hash)
    if (known !== undefined) return known || undefined
    const found = findCaller(hash)
    callers.set(hash, found ?? false)
    return found
  }

  const repository: (...question: Parameters<FindRepository>) => RepositoryFacts | undefined = (
    accountId,
    repo,
    revision,
  ) => {
    const key = `${accountId} ${formatRepoRef(repo)} ${keyOf(revision)}`
    const known = repositories.get(key)
    if (known !== undefined) return known || undefined
    const found = findRepository(accountId, repo, revision)
    repositories.set(key, found ?? false)
    return found
  }

  return {
    knownPrefixes() {
      forgetIfChanged()
      prefixes ??= new Set(allPrefixes.all().map(({ prefix }) => String(prefix)))
      return prefixes
    },
    async findAccess({ hubTokenHash, now, repo, revision }: AccessQuestion) {
      forgetIfChanged()
      const record = hubTokenHash === undefined ? undefined : caller(hubTokenHash)
      const asking = hubTokenHash === undefined ? anonymous : identifyCaller(record, now)
      if (isRefusal(asking) || repo === undefined) return { caller: record, repository: undefined }
      // A repository outside the hub token's grants is looked up without an account, so it answers like a private one.
      const accountId = carriedBy(asking, repo).length === 0 ? '' : asking.accountId
      return { caller: record, repository: repository(accountId, repo, revision) }
    },
    async findRepository(accountId, repo, revision) {
      forgetIfChanged()
      return repository(accountId, repo, revision)
    },
  }
}

function holdersIn({ ref }: RepositoryFacts): number {
  return ref === undefined ? 0 : ref.holders.length + ref.pastHolders.length
}

/** Short, and never the same for two kinds. All revisions that cannot exist share one entry, however long they are. */
function keyOf(revision: WantedRevision): string {
  const { kind } = revision
  return kind === 'default' || kind === 'impossible' ? kind : `=${formatRevision(revision)}`
}

/** Asks SQLite once per turn of the event loop whether another connection has committed. */
function changeWatcher(database: DatabaseSync, onChange: () => void): () => void {
  const version = database.prepare('PRAGMA data_version')
  let known = version.get()?.['data_version']
  let asked = false
  return () => {
    if (asked) return
    asked = true
    setImmediate(() => {
      asked = false
    })
    const current = version.get()?.['data_version']
    if (current === known) return
    known = current
    onChange()
  }
}

/** Gives a commit a ref as a pull request, with the content of its large files. */

import type {
  CallerQuestions,
  IssuedStorageToken,
  PermittedRevision,
} from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  parseRefName,
  parseRevision,
  type Refusal,
  type RepoRef,
  refuse,
} from '@latchkey/protocol'
import { adoptLargeFiles } from '../commits/adopt-large-files.ts'
import { makeRef } from '../commits/make-ref.ts'
import { nextNumber, recordPullRequest } from '../commits/records.ts'
import type { LargeFile } from '../commits/stage.ts'
import type { Repository } from '../git/index.ts'
import type { ForgeDeps } from '../handler/exchange.ts'

export interface Proposing {
  readonly hub: CallerQuestions
  readonly repo: RepoRef
  readonly repository: Repository
  /** The revision that the proposal would change, as the caller may read it. */
  readonly base: PermittedRevision
  /** See more content that the caller may read. */
  readonly through?: readonly IssuedStorageToken[]
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

export interface Opening extends Proposing {
  readonly commit: CommitHash
  readonly title: string
  /** New in the commit: they must not be missing. */
  readonly large: readonly LargeFile[]
}

export interface OpenedPullRequest {
  readonly number: number
  readonly commit: CommitHash
}

/** To be called in the repository's turn. */
export async function openPullRequest(
  parts: ForgeDeps,
  opening: Opening,
): Promise<OpenedPullRequest | Refusal> {
  const { hub, repo, repository, base, commit, title, large, signal } = opening
  const { account, accountId, repositoryUid: uid } = base
  const refs = await parts.port.refsOf(uid)
  const full = await refuseTooMany(opening, refs)
  if (full !== undefined) return full
  const revision = parseRevision(base.ref.name)
  const reading = await hub.storageToken({ repo, revision, scope: 'read' })
  if (isRefusal(reading)) return reading
  const made = { accountId, account, title, base: base.ref.name, commit, at: parts.clock() }
  const number = await nextNumber(repository, refs)
  const ref = parseRefName(`refs/pr/${number}`)
  if (ref === undefined) throw new Error('a pull request has a name')
  const reserved = await hub.newRef({ repo, ref, asProposer: true })
  if (isRefusal(reserved)) return reserved
  const uploads = large.length === 0 ? [] : await hub.uploadTokens(repo)
  const through = [reading, ...uploads, ...(opening.through ?? [])]
  const { storage } = parts
  const refused = await makeRef(parts, {
    ...{ hub, repo, ref, asProposer: true, reserved, repository, commit, through, signal },
    async adoptFirst() {
      const adopting = { hub, storage, repo, to: reserved.token, through }
      const missing = await adoptLargeFiles(adopting, large)
      // A proposal that names content which is not there must leave nothing behind.
      if (missing === undefined) await recordPullRequest(repository, number, made)
      return missing
    },
  })
  return refused ?? { number, commit }
}

/** A repository has room for so many refs: readers must not take that of its branches. */
const maxByReaders = 1000

async function refuseTooMany(
  { hub, repo, base }: Proposing,
  refs: ReadonlyMap<string, CommitHash> | undefined,
): Promise<Refusal | undefined> {
  const open = [...(refs?.keys() ?? [])].filter((ref) => ref.startsWith('refs/pr/'))
  if (open.length < maxByReaders) return undefined
  const revision = parseRevision(base.ref.name)
  const mayWrite = !isRefusal(await hub.decide({ repo, revision, scope: 'write' }))
  if (mayWrite) return undefined
  const detail = `The repository has ${open.length} pull requests. Ask its owners to delete some, or to make yours.`
  return refuse('conflict', detail)
}

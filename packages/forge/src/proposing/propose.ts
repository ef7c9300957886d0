/** A commit as a pull request: a ref of its own, with the content of every large file in it. */

import {
  type CommitHash,
  isRefusal,
  parseRefName,
  parseRevision,
  type Refusal,
  type RepoRef,
  refuse,
} from '@latchkey/protocol'
import { makeRef } from '../adopting/make-ref.ts'
import { adoptLargeFiles } from '../committing/adopt-large-files.ts'
import { writeOnto } from '../committing/make-commit.ts'
import type { Staged } from '../committing/stage.ts'
import type { Repository } from '../git/index.ts'
import type { ForgeParts } from '../http/exchange.ts'
import type { HubQuestions, Permitted } from '../hub-port.ts'
import { proposerOf, recordNext } from '../numbering/records.ts'

export interface Proposal {
  readonly hub: HubQuestions
  readonly repo: RepoRef
  readonly repository: Repository
  /** What is proposed to be changed, as the caller may read it. */
  readonly base: Permitted
  readonly staged: Staged
}

export interface Proposed {
  readonly number: number
  readonly commit: CommitHash
}

/** To be called in the repository's turn. */
export async function propose(parts: ForgeParts, proposal: Proposal): Promise<Proposed | Refusal> {
  const { hub, repo, repository, staged } = proposal
  const base = await startOf(proposal)
  if (isRefusal(base)) return base
  const { account, accountId, repositoryUid: uid } = proposal.base
  const commit = await writeOnto(base.commit, staged, { ...parts, account, repository })
  if (isRefusal(commit)) return commit
  if (commit === base.commit) {
    return refuse('bad_request', 'Nothing would change, so there is nothing to propose.')
  }
  const known = await parts.port.refsOf(uid)
  const before = await sameBefore(repository, known, { commit, accountId })
  if (before !== undefined) return before
  const full = await refuseTooMany(proposal, known)
  if (full !== undefined) return full
  const reading = await hub.storageToken({
    repo,
    revision: parseRevision(base.ref.name),
    scope: 'read',
  })
  if (isRefusal(reading)) return reading
  const number = await recordNext(repository, known, { accountId, commit, at: parts.clock() })
  const ref = parseRefName(`refs/pr/${number}`)
  if (ref === undefined) throw new Error('a pull request has a name')
  const reserved = await hub.newRef({ repo, ref, proposer: 'caller' })
  if (isRefusal(reserved)) return reserved
  const uploads = staged.large.length === 0 ? [] : await hub.uploadTokens(repo)
  const through = [reading, ...uploads]
  const wanted = { hub, repo, ref, proposer: 'caller', reserved, repository, commit, through }
  const refused = await makeRef(parts, {
    ...wanted,
    adoptFirst: () =>
      adoptLargeFiles(
        { hub, storage: parts.storage, repo, to: reserved.token, through },
        staged.large,
      ),
  })
  return refused ?? { number, commit }
}

/** A repository has room for so many refs: readers must not take that of its branches. */
const mostByReaders = 1000

async function refuseTooMany(
  { hub, repo, base }: Proposal,
  known: ReadonlyMap<string, CommitHash> | undefined,
): Promise<Refusal | undefined> {
  const open = [...(known?.keys() ?? [])].filter((ref) => ref.startsWith('refs/pr/'))
  if (open.length < mostByReaders) return undefined
  const revision = parseRevision(base.ref.name)
  const mayWrite = !isRefusal(await hub.decide({ repo, revision, scope: 'write' }))
  if (mayWrite) return undefined
  const detail = `The repository has ${open.length} pull requests. Ask its owners to delete some, or to make yours.`
  return refuse('conflict', detail)
}

/** A client may name the commit that it has seen. */
async function startOf({ hub, repo, base, staged }: Proposal): Promise<Permitted | Refusal> {
  const { parentCommit } = staged.header
  if (parentCommit === undefined || parentCommit === base.commit) return base
  const revision = { kind: 'commit', hash: parentCommit } as const
  return hub.decide({ repo, revision, scope: 'read' })
}

interface Again {
  readonly commit: CommitHash
  readonly accountId: string
}

/** A client looks for the answer that it lost soon after. */
const mostLookedAt = 8

/** The same account, parent and tree: a client that lost the answer sends its commit again. */
async function sameBefore(
  repository: Repository,
  known: ReadonlyMap<string, CommitHash> | undefined,
  { commit, accountId }: Again,
): Promise<Proposed | undefined> {
  const wanted = await repository.readCommit(commit)
  const numbers = [...(await repository.pullRequestRecords()).keys()].sort((a, b) => b - a)
  for (const number of numbers.slice(0, mostLookedAt)) {
    const head = known?.get(`refs/pr/${number}`)
    const found = head && (await repository.readCommit(head))
    const isSame =
      found?.tree === wanted?.tree && String(found?.parents) === String(wanted?.parents)
    if (!found || !isSame) continue
    if ((await proposerOf(repository, number)) === accountId) return { number, commit: found.hash }
  }
  return undefined
}

/** A commit as a pull request: a ref of its own, with the content of every large file in it. */

import type { PermittedRevision } from '@latchkey/admin-api/forge-port'
import { type CommitHash, isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { writeOnto } from '../commits/make-commit.ts'
import { findPullRequest } from '../commits/records.ts'
import type { StagedCommit } from '../commits/stage.ts'
import type { Repository } from '../git/index.ts'
import type { ForgeDeps } from '../handler/exchange.ts'
import { type OpenedPullRequest, openPullRequest, type Proposing } from './open-pull-request.ts'

export interface Proposal extends Proposing {
  readonly staged: StagedCommit
}

/** To be called in the repository's turn. */
export async function propose(
  parts: ForgeDeps,
  proposal: Proposal,
): Promise<OpenedPullRequest | Refusal> {
  const { hub, repo, repository, staged, through = [], signal } = proposal
  signal.throwIfAborted()
  const base = await startOf(proposal)
  if (isRefusal(base)) return base
  const { account, accountId, repositoryUid: uid } = proposal.base
  const commit = await writeOnto(base.commit, staged, { ...parts, account, repository, signal })
  if (isRefusal(commit)) return commit
  if (commit === base.commit) {
    return refuse('bad_request', 'The commit changes no file, so there is nothing to propose.')
  }
  const refs = await parts.port.refsOf(uid)
  const before = await sameBefore(repository, refs, { commit, accountId })
  if (before !== undefined) return before
  const { large, header } = staged
  const opening = { hub, repo, repository, base, commit, large, through, signal }
  return openPullRequest(parts, { ...opening, title: header.summary })
}

/** A client may name the commit that it has seen. */
async function startOf({
  hub,
  repo,
  base,
  staged,
}: Proposal): Promise<PermittedRevision | Refusal> {
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
const maxLookedAt = 8

/** The same account, parent and tree: a client that lost the answer sends its commit again. */
async function sameBefore(
  repository: Repository,
  refs: ReadonlyMap<string, CommitHash> | undefined,
  { commit, accountId }: Again,
): Promise<OpenedPullRequest | undefined> {
  const proposal = await repository.readCommit(commit)
  const numbers = [...(await repository.pullRequestRecords()).keys()].sort((a, b) => b - a)
  for (const number of numbers.slice(0, maxLookedAt)) {
    const head = refs?.get(`refs/pr/${number}`)
    const found = head && (await repository.readCommit(head))
    const isSame =
      found?.tree === proposal?.tree && String(found?.parents) === String(proposal?.parents)
    if (!found || !isSame) continue
    const made = await findPullRequest(repository, number)
    if (made?.accountId === accountId) return { number, commit: found.hash }
  }
  return undefined
}

/** Whether a caller may write a revision: the account that made a pull request may write it as a reader. */

import type { CallerDecision, CallerQuestions } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal, type RepoRef, type Revision } from '@latchkey/protocol'
import type { Git } from '../git/index.ts'
import { findPullRequest } from './records.ts'

export interface WritePermitted extends CallerDecision {
  readonly proposer: string | undefined
}

export async function decideWrite(
  hub: Pick<CallerQuestions, 'decide'>,
  git: Git,
  { repo, revision }: { readonly repo: RepoRef | undefined; readonly revision: Revision },
): Promise<WritePermitted | Refusal> {
  const proposer = await findProposer(hub, git, { repo, revision })
  if (isRefusal(proposer)) return proposer
  const permitted = await hub.decide({ repo, revision, scope: 'write', proposer })
  return isRefusal(permitted) ? permitted : { ...permitted, proposer }
}

async function findProposer(
  hub: Pick<CallerQuestions, 'decide'>,
  git: Git,
  { repo, revision }: { readonly repo: RepoRef | undefined; readonly revision: Revision },
): Promise<string | Refusal | undefined> {
  const [, number] = revision.kind === 'ref' ? (/^refs\/pr\/(\d+)$/.exec(revision.name) ?? []) : []
  if (number === undefined) return undefined
  // Only a caller who may read learns of the repository.
  const permitted = await hub.decide({ repo, revision, scope: 'read' })
  if (isRefusal(permitted)) return permitted
  const repository = git.openToRead(permitted.repositoryUid)
  return repository && (await findPullRequest(repository, Number(number)))?.accountId
}

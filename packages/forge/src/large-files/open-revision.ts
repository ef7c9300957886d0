/** A revision that the caller may use, with what git has of it. */

import type {
  CallerQuestions,
  PermittedRevision,
  RevisionTarget,
} from '@latchkey/admin-api/forge-port'
import { type CommitHash, isRefusal, noCommit, type Refusal, refuse } from '@latchkey/protocol'
import type { Git, ObjectHash, Repository } from '../git/index.ts'

/** A branch without a commit has neither commit nor tree; it may have no repository of git either. */
export interface OpenRevision {
  readonly permitted: PermittedRevision
  readonly repository: Repository | undefined
  readonly commit: CommitHash | undefined
  readonly tree: ObjectHash | undefined
}

export interface FilledRevision extends OpenRevision {
  readonly repository: Repository
  readonly commit: CommitHash
  readonly tree: ObjectHash
}

export async function openRevision(
  hub: Pick<CallerQuestions, 'decide'>,
  git: Git,
  target: RevisionTarget,
): Promise<OpenRevision | Refusal> {
  const permitted = await hub.decide(target)
  return isRefusal(permitted) ? permitted : openPermitted(permitted, git)
}

export async function openPermitted(permitted: PermittedRevision, git: Git): Promise<OpenRevision> {
  const repository = git.openToRead(permitted.repositoryUid)
  const { commit } = permitted
  if (isNone(commit)) return { permitted, repository, commit: undefined, tree: undefined }
  const tree = await repository?.treeOf(commit)
  return { permitted, repository, commit, tree }
}

export function isNone(commit: PermittedRevision['commit']): commit is typeof noCommit {
  return commit === noCommit
}

export function isFilled(opened: OpenRevision): opened is FilledRevision {
  return opened.tree !== undefined
}

/** The directory may name commits that were never brought here. */
export function lacksObjects({ commit, tree }: OpenRevision): boolean {
  return commit !== undefined && tree === undefined
}

export function objectsMissing({ commit }: OpenRevision): Refusal {
  const detail = `The directory names the commit ${commit}, and the repository does not have it: it was never pushed here.`
  return refuse('revision_not_found', detail)
}

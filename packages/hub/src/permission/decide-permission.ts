/** Decides whether a caller may have a storage token: the account's access ∩ what its hub token carries. */

import {
  formatRepoRef,
  formatRevision,
  type Refusal,
  type RepoRef,
  refuse,
  type Scope,
} from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import type { Holder, RefFacts, RepositoryFacts, WantedRevision } from './access-facts.ts'
import { type Permit, permit } from './permit.ts'
import { type Carried, carriedBy, carriesRef, reachesRef } from './reach.ts'
import { silent, type Tell } from './tell.ts'
import { type Asked, maySeeRepository, missingGrant, missingRole } from './what-is-missing.ts'
import { whatItSees } from './what-it-sees.ts'

export interface Wanted {
  readonly caller: Caller
  readonly repo: RepoRef | undefined
  readonly repository: RepositoryFacts | undefined
  readonly scope: Scope
  readonly revision: WantedRevision
}

export interface Policy {
  /** Answer "does not exist" for a private repository that the caller may not read. */
  readonly hidePrivateRepositories: boolean
}

/** Permission is judged before existence: without it, nobody learns which refs there are. */
export function decidePermission(
  { caller, repo, repository, scope, revision }: Wanted,
  policy: Policy,
  tell: Tell = silent,
): Permit | Refusal {
  tell('repository', repository !== undefined, () => describe(repo, repository))
  if (repo === undefined || repository === undefined) return noRepository()

  const carried = carriedBy(caller, repo)
  const ref = knownRef(revision, repository, carried)
  const asked = { caller, repository, carried, scope, ref, ...namesOf(revision, repository, ref) }
  if (!maySeeRepository(asked, tell)) return unseen(asked, policy)

  const missing = missingGrant(asked, tell) ?? missingRole(asked, tell)
  if (missing !== undefined) return lacking(scope, missing)

  tell('revision', ref !== undefined, () => (ref === undefined ? 'no such revision' : ref.name))
  if (ref === undefined) return noRevision()

  const mayRead = ({ name }: Holder) => carriesRef(carried, 'read', name)
  const sees = whatItSees(ref, mayRead)
  return permit({
    caller,
    scope,
    repo,
    repositoryUid: repository.uid,
    epoch: repository.epoch,
    ref: { name: ref.name, uid: ownUid(ref, carried, mayRead) },
    commit: ref.commit,
    sees,
  })
}

/**
 * What was written under a tag or commit is for those who may read every ref that holds it: one that comes to hold it
 * later must not open it to its readers. The others get an address under which nothing is written.
 */
function ownUid(
  { name, uid, holders }: RefFacts,
  carried: readonly Carried[],
  mayRead: (holder: Holder) => boolean,
): string {
  return carriesRef(carried, 'read', name) || holders.every(mayRead) ? uid : `${uid}.part`
}

/** A tag out of reach, asked for by its bare name, must look like a branch that is not there. */
function knownRef(
  revision: WantedRevision,
  { ref }: RepositoryFacts,
  carried: readonly Carried[],
): RefFacts | undefined {
  const isTag = revision.kind === 'bare' && ref?.name === revision.tag
  return isTag && !reachesRef(carried, 'read', ref) ? undefined : ref
}

function namesOf(
  revision: WantedRevision,
  { defaultBranch }: RepositoryFacts,
  ref: RefFacts | undefined,
) {
  return { name: ref?.name ?? judgedName(revision, defaultBranch), text: textOf(revision) }
}

/** Refusals travel in headers too, so they repeat no name that is longer than any can be. */
function textOf(revision: WantedRevision): string {
  if (revision.kind === 'default') return 'the default branch'
  const text = formatRevision(revision)
  return text.length > 300 ? 'a name of that length' : text
}

/** A ref that does not exist is judged by its name. */
function judgedName(revision: WantedRevision, defaultBranch: string): string {
  switch (revision.kind) {
    case 'commit':
      return revision.hash
    case 'ref':
      return revision.name
    case 'bare':
      return revision.branch
    case 'default':
      return defaultBranch
    case 'impossible':
      return revision.text.startsWith('refs/') ? revision.text : `refs/heads/${revision.text}`
  }
}

function unseen({ repository, caller }: Asked, policy: Policy): Refusal {
  if (repository.visibility === 'public') {
    const missing =
      caller.kind === 'admin'
        ? 'a hub token of kind read, write or fine-grained (an admin token is no storage credential)'
        : 'a grant on this repository'
    return lacking('read', missing)
  }
  if (policy.hidePrivateRepositories) return noRepository()
  return refuse('permission_denied', 'This hub token gives no access to this repository.')
}

function lacking(scope: Scope, missing: string): Refusal {
  return refuse(
    'permission_denied',
    `This hub token may not have a ${scope} token here: missing is ${missing}.`,
    { missing },
  )
}

function noRepository(): Refusal {
  return refuse(
    'repository_not_found',
    'There is no such repository. Check its type, namespace and name, and their upper and lower case.',
  )
}

function noRevision(): Refusal {
  return refuse(
    'revision_not_found',
    'There is no such revision in this repository. Name a branch, a tag or a full commit hash.',
  )
}

function describe(repo: RepoRef | undefined, repository: RepositoryFacts | undefined): string {
  if (repo === undefined) return 'no repository can have this name'
  return `${formatRepoRef(repo)} ${repository === undefined ? 'does not exist' : 'exists'}`
}

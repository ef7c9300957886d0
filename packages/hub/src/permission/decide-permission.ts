/** Decides whether a caller may have a storage token: the account's access ∩ what its hub token carries. */

import {
  formatRepoRef,
  formatRevision,
  type JournalNumber,
  type RefUid,
  type Refusal,
  type RepoRef,
  refKind,
  refuse,
  type Scope,
  shortRefName,
  unwrittenUid,
} from '@latchkey/protocol'
import { maxSeenRefs, type SeenRef } from '@latchkey/token'
import type { Caller } from '../identity/caller.ts'
import {
  type Ancestor,
  closedRepository,
  type Holder,
  type RefFacts,
  type RepositoryFacts,
  type WantedRevision,
} from './access-facts.ts'
import { anyPullRequest, isOwnRef } from './own-refs.ts'
import { type Permit, permit } from './permit.ts'
import { type CarriedGrant, carriedBy, carriesRef, everHolding, reachesRef } from './reach.ts'
import {
  type JudgedRequest,
  maySeeRepository,
  missingGrant,
  missingRole,
  silent,
  type Tell,
} from './what-is-missing.ts'

export interface AccessRequest {
  readonly caller: Caller
  readonly repo: RepoRef | undefined
  /** How new the facts are at least. */
  readonly asOf: JournalNumber
  readonly repository: RepositoryFacts | undefined
  readonly scope: Scope
  readonly revision: WantedRevision
  /** Whether the revision is a pull request of the caller's own, or the ref into which it uploads for one. */
  readonly asProposer?: boolean | undefined
}

export interface Policy {
  /** Answer "does not exist" for a private repository that the caller may not read. */
  readonly hidePrivateRepositories: boolean
}

/** Permission is judged before existence: a caller without permission does not learn which refs exist. */
export function decidePermission(
  { caller, repo, asOf, repository: found, scope, revision, asProposer = false }: AccessRequest,
  { hidePrivateRepositories }: Policy,
  tell: Tell = silent,
): Permit | Refusal {
  tell('repository', found !== undefined, () => describe(repo, found))
  if (repo === undefined) return noRepository()

  // An absent repository is judged like a closed one, by the same steps, so that both take as long.
  const repository = found ?? closedRepository
  const carried = carriedBy(caller, repo)
  const ref = knownRef(revision, repository, { carried, asProposer })
  const names = namesOf(revision, repository, ref)
  const request = { caller, repository, carried, scope, ref, asProposer, ...names }
  const isSeen = maySeeRepository(request, found === undefined ? silent : tell)
  if (!isSeen) return unseen(request, found === undefined || hidePrivateRepositories)

  const missing = missingGrant(request, tell) ?? missingRole(request, tell)
  if (missing !== undefined) return lacking(scope, missing)

  if (ref === undefined) {
    tell('revision', false, () => 'no such revision')
    return noRevision()
  }
  const closedBy = whatCloses(ref, carried)
  tell('revision', true, () => describeRef(ref, closedBy))
  const sees = whatItSees(ref, ({ name }: Holder) => carriesRef(carried, 'read', name))
  return permit({
    caller,
    scope,
    repo,
    repositoryUid: repository.uid,
    epoch: repository.epoch,
    storage: repository.storage,
    ref: { name: ref.name, uid: closedBy === undefined ? ref.uid : unwrittenUid(ref.uid) },
    commit: ref.commit,
    roleUntil: repository.roleUntil,
    asOf,
    sees,
  })
}

/**
 * Content that was written under a tag or commit is readable for hub tokens that read every ref
 * that contains or contained it. Neither a new such ref nor the deletion of an old one may open it.
 * Gives the name of a ref that the hub token may not read; undefined if it reads all of them.
 */
function whatCloses(ref: RefFacts, carried: readonly CarriedGrant[]): string | undefined {
  const mayRead = (name: string) => carriesRef(carried, 'read', name)
  return mayRead(ref.name) ? undefined : everHolding(ref).find((name) => !mayRead(name))
}

interface Knowing {
  readonly carried: readonly CarriedGrant[]
  readonly asProposer: boolean
}

/**
 * A tag that the hub token may not read, asked for by its bare name, must look like a branch that does not exist. The
 * hub's own refs do not exist for callers who name them.
 */
function knownRef(
  revision: WantedRevision,
  { ref }: RepositoryFacts,
  { carried, asProposer }: Knowing,
): RefFacts | undefined {
  if (ref !== undefined && isOwnRef(ref.name) && !asProposer) return undefined
  const isTag = revision.kind === 'bare' && ref?.name === revision.tag
  return isTag && !reachesRef(carried, 'read', ref) ? undefined : ref
}

function namesOf(
  revision: WantedRevision,
  { defaultBranch }: RepositoryFacts,
  ref: RefFacts | undefined,
) {
  const isBranch =
    revision.kind === 'default' || (revision.kind === 'ref' && refKind(revision.name) === 'branch')
  const name = ref?.name ?? judgedName(revision, defaultBranch)
  return {
    // What is uploaded for a pull request is judged as one.
    name: ref !== undefined && isOwnRef(name) ? anyPullRequest : name,
    text: textOf(revision),
    isBranch,
  }
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

function unseen({ repository, caller }: JudgedRequest, isHidden: boolean): Refusal {
  if (repository.visibility === 'public') {
    const missing =
      caller.kind === 'admin'
        ? 'a hub token of kind read, write or fine-grained (an admin token is no storage credential)'
        : 'a grant on this repository'
    return lacking('read', missing)
  }
  if (isHidden) return noRepository()
  return refuse('permission_denied', 'This hub token gives no access to this repository.')
}

function lacking(scope: Scope, missing: string): Refusal {
  return refuse(
    'permission_denied',
    `This hub token may not have a ${scope} token here: this needs ${missing}.`,
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

/** For administrators: which content a token for the ref would leave out, and why. */
function describeRef({ name }: RefFacts, closedBy: string | undefined): string {
  if (closedBy === undefined) return name
  const reason =
    closedBy === name
      ? 'it was once held by no known branch'
      : `the hub token may not read ${shortRefName(closedBy)}, which holds or held it`
  return `${name}, without what was written under it alone: ${reason}`
}

function describe(repo: RepoRef | undefined, repository: RepositoryFacts | undefined): string {
  if (repo === undefined) return 'no repository can have this name'
  return `${formatRepoRef(repo)} ${repository === undefined ? 'does not exist' : 'exists'}`
}

/** A fork inherits up to the fork; a tag or commit, from the readable refs that hold it. */
export function whatItSees(
  { ancestry, holders }: RefFacts,
  mayRead: (holder: Holder) => boolean,
): readonly SeenRef[] {
  if (holders.length === 0) return ancestry.slice(0, maxSeenRefs)
  const visibleRefs = new Map<RefUid, JournalNumber>()
  for (const holder of holders) {
    if (visibleRefs.size >= maxSeenRefs) break
    if (visibleRefs.has(holder.uid) || !mayRead(holder)) continue
    visibleRefs.set(holder.uid, holder.recordedNumber)
    for (const ancestor of holder.ancestry) {
      if (visibleRefs.size >= maxSeenRefs || visibleRefs.has(ancestor.uid)) continue
      visibleRefs.set(ancestor.uid, inheritedBefore(ancestor, holders, mayRead))
    }
  }
  return Array.from(visibleRefs, ([uid, before]) => ({ uid, before }))
}

/** An origin that holds the commit itself counts with its own number: a later fork opens nothing new. */
function inheritedBefore(
  { uid, before }: Ancestor,
  holders: readonly Holder[],
  mayRead: (holder: Holder) => boolean,
): JournalNumber {
  const own = holders.find((holder) => holder.uid === uid)
  if (own === undefined) return before
  return mayRead(own) || own.recordedNumber < before ? own.recordedNumber : before
}

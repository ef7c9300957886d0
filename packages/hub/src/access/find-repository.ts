import {
  type AccountId,
  type Clock,
  type RepoRef,
  refKind,
  roleCovers,
  strongerRole,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import {
  closedRepository,
  type RefFacts,
  type RepositoryFacts,
  type WantedRevision,
} from '../permission/access-facts.ts'
import {
  type AccessStore,
  type FoundRepository,
  noEnd,
  type RepositoryRecord,
  type RevisionNames,
} from './access-store.ts'
import { fixedRefFacts, movingRefFacts } from './ref-facts.ts'

export type FindRepository = (
  accountId: AccountId | undefined,
  repo: RepoRef,
  revision: WantedRevision,
) => Promise<RepositoryFacts | undefined>

/** Asks the store each time; token requests have caches instead. */
export function repositoryFinder(
  store: Pick<AccessStore, 'find' | 'untilBack'>,
  clock: Clock,
): FindRepository {
  return async (accountId, repo, revision) => {
    const about = { repo, names: namesOf(revision) }
    const viewerOf = () => ({ accountId })
    const now = clock()
    const question = { now, hubTokenHash: undefined, about, viewerOf }
    const { repository } = await store.untilBack(() => store.find(question))
    return repository && whatAccountSees(repository, now)
  }
}

/**
 * Security boundary: of a private repository in which the account has no role, the decision learns only that there is
 * one. It is the same value for every such repository.
 */
export function whatAccountSees(
  found: FoundRepository,
  now: UnixSeconds,
): RepositoryFacts | undefined {
  if (found === 'absent') return undefined
  if (found === 'hidden') return closedRepository
  const { uid, epoch, storage, visibility, defaultBranch, refRules } = found
  const held = heldRole(found, now)
  return { uid, epoch, storage, visibility, defaultBranch, ...held, refRules, ref: foundRef(found) }
}

export type HeldRole = Pick<RepositoryFacts, 'role' | 'roleUntil'>

/** The account's own role, or a stronger one that a team gives it. */
export function heldRole(
  {
    memberRole,
    collaboratorRole,
    teamEnds,
  }: Pick<RepositoryRecord, 'memberRole' | 'collaboratorRole' | 'teamEnds'>,
  now: UnixSeconds,
): HeldRole {
  const own = strongerRole(memberRole ?? undefined, collaboratorRole ?? undefined)
  const teamRole = strongestFirst.find((role) => teamEnds[role] > now)
  if (teamRole === undefined || roleCovers(own, teamRole)) return { role: own }
  const end = teamEnds[teamRole]
  return end === noEnd ? { role: teamRole } : { role: teamRole, roleUntil: unixSeconds(end) }
}

const strongestFirst = ['admin', 'write', 'read'] as const

/** Imported refs may collide; the tag wins over the branch, as in git. */
function foundRef({ fixed, moving, defaultBranch }: RepositoryRecord): RefFacts | undefined {
  if (fixed !== undefined) return fixedRefFacts(fixed, defaultBranch)
  return moving && movingRefFacts(moving)
}

export function namesOf(revision: WantedRevision): RevisionNames {
  switch (revision.kind) {
    case 'commit':
      return { commit: revision.hash }
    case 'bare':
      return { tag: revision.tag, moving: revision.branch }
    case 'ref':
      return refKind(revision.name) === 'tag' ? { tag: revision.name } : { moving: revision.name }
    case 'default':
      return { moving: 'default branch' }
    case 'impossible':
      return {}
  }
}

/** Whether a caller may make, move or delete a ref: decided by the name of the ref, also where it is a tag. */

import {
  isRefusal,
  noCommit,
  type RefName,
  type RefUid,
  type Refusal,
  type RepoRef,
  roleCovers,
} from '@latchkey/protocol'
import type { Facts } from '../issue/authenticate.ts'
import type { RefFacts, RepositoryFacts } from '../permission/access-facts.ts'
import { decidePermission } from '../permission/decide-permission.ts'
import type { Permit } from '../permission/permit.ts'
import { roleHere } from '../permission/reach.ts'
import type { Asker } from './asker.ts'
import type { AsCallerDeps } from './deps.ts'

export interface RefQuestion {
  readonly repo: RepoRef
  readonly ref: RefName
  /** The caller proposes, or the pull request is of the account that is named. */
  readonly proposer?: string | 'caller' | undefined
  /** Gives the uid of a ref that is not there yet. Without it, a ref that is not there is refused. */
  readonly newUid?: ((repository: RepositoryFacts) => RefUid) | undefined
}

export interface RefDecision {
  readonly permit: Permit
  readonly learned: Facts['learned']
  /** Whether the directory has the ref already. */
  readonly isThere: boolean
  readonly isReader: boolean
}

export async function decideRef(
  { repo, ref: name, proposer, newUid }: RefQuestion,
  asker: Asker,
  { issuing: { policy } }: AsCallerDeps,
): Promise<RefDecision | Refusal> {
  const revision = { kind: 'ref', name } as const
  const facts = await asker.current({ repo, revision })
  if (isRefusal(facts)) return facts
  const { caller, asOf, repository, learned } = facts
  const isThere = repository?.ref !== undefined
  const ref =
    byName(repository?.ref) ?? (repository && newUid && notYetThere(name, newUid(repository)))
  const decision = decidePermission(
    {
      ...{ caller, asOf, repo, revision, scope: 'write' },
      repository: repository && { ...repository, ref },
      asProposer: proposer === 'caller' || proposer === caller.accountId,
    },
    policy,
  )
  if (isRefusal(decision)) return decision
  return { permit: decision, learned, isThere, isReader: isReader(repository) }
}

/** Whether the account can do no more than propose. What ref rules say does not count. */
export function isReader(repository: RepositoryFacts | undefined): boolean {
  return repository === undefined || !roleCovers(roleHere(repository), 'write')
}

/** Content under a tag is for those who may write every branch that holds it. Here no content comes from the caller. */
function byName(ref: RefFacts | undefined): RefFacts | undefined {
  return ref && { ...ref, holders: [], pastHolders: [] }
}

function notYetThere(name: RefName, uid: RefUid): RefFacts {
  return { name, uid, commit: noCommit, ancestry: [], holders: [], pastHolders: [] }
}

/** Whether a caller may make, move or delete a ref: decided by the name of the ref, also where it is a tag. */

import type { RevisionTarget } from '@latchkey/admin-api/forge-port'
import {
  type AccountId,
  isRefusal,
  noCommit,
  type RefName,
  type RefUid,
  type Refusal,
  type RepoRef,
  roleCovers,
} from '@latchkey/protocol'
import type { Facts } from '../issue/authenticate.ts'
import type { GrantedRequest } from '../issue/issue-token.ts'
import type { RefFacts, RepositoryFacts, WantedRevision } from '../permission/access-facts.ts'
import { decidePermission } from '../permission/decide-permission.ts'
import type { Permit } from '../permission/permit.ts'
import { allowsForce, roleHere } from '../permission/reach.ts'
import type { Asker } from './asker.ts'
import type { AsCallerDeps } from './deps.ts'

export interface RefQuestion {
  readonly repo: RepoRef
  readonly ref: RefName
  /** The caller makes a pull request. */
  readonly asProposer?: boolean | undefined
  /** Gives the uid of a ref that is not there yet. Without it, a ref that is not there is refused. */
  readonly newUid?: ((repository: RepositoryFacts) => RefUid) | undefined
}

export interface RefDecision {
  readonly permit: Permit
  readonly learned: Facts['learned']
  /** Whether the directory has the ref already. */
  readonly isThere: boolean
  readonly isReader: boolean
  /** Whether the ref may leave the history that it has. */
  readonly mayForce: boolean
}

export async function decideRef(
  { repo, ref: name, asProposer = false, newUid }: RefQuestion,
  asker: Asker,
  { issuing: { policy }, readBeside }: AsCallerDeps,
): Promise<RefDecision | Refusal> {
  const revision = { kind: 'ref', name } as const
  const facts = await asker.current({ repo, revision })
  if (isRefusal(facts)) return facts
  const { caller, asOf, repository, learned } = facts
  const isThere = repository?.ref !== undefined
  const isProposing = pullRequest.test(name)
  const proposer = isProposing && (await findProposer(readBeside, repository?.ref?.uid))
  const ref =
    byName(repository?.ref) ?? (repository && newUid && notYetThere(name, newUid(repository)))
  const isProposer = isProposing && (isThere ? proposer === caller.accountId : asProposer)
  const decision = decidePermission(
    {
      ...{ caller, asOf, repo, revision, scope: 'write' },
      repository: repository && { ...repository, ref },
      asProposer: isProposer,
    },
    policy,
  )
  if (isRefusal(decision)) return decision
  const mayForce = isProposer || allowsForce(repository?.refRules ?? [], name)
  return { permit: decision, learned, isThere, isReader: isReader(repository), mayForce }
}

/** Whether the account can do no more than propose. What ref rules say does not count. */
export function isReader(repository: RepositoryFacts | undefined): boolean {
  return repository === undefined || !roleCovers(roleHere(repository), 'write')
}

const pullRequest = /^refs\/pr\/\d+$/

export interface GrantedRevision extends GrantedRequest {
  /** Told where the account proposes. */
  readonly isReader?: boolean
}

/** As a token request is answered. Its proposer may write a pull request that is closed to it otherwise. */
export async function decideRevision(
  { repo, revision, scope }: RevisionTarget,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<GrantedRevision | Refusal> {
  const target = { repo, scope, revision: revisionWithHead(revision) }
  const { result, caller } = await asker.check(target)
  const ref = scope === 'write' && revision?.kind === 'ref' ? revision.name : undefined
  if (!isRefusal(result) || repo === undefined || ref === undefined) return result
  if (caller === undefined || caller.kind === 'anonymous' || !pullRequest.test(ref)) return result
  const decided = await decideRef({ repo, ref }, asker, parts)
  return isRefusal(decided) ? result : decided
}

/** No ref can be called `HEAD`: callers of repositories mean the default branch. */
export function revisionWithHead(revision: WantedRevision | undefined): WantedRevision {
  const isHead = revision?.kind === 'impossible' && revision.text === 'HEAD'
  return revision === undefined || isHead ? { kind: 'default' } : revision
}

/** Read also where the caller sees no ref, so that a hidden repository takes as long as an absent one. */
async function findProposer(
  readBeside: AsCallerDeps['readBeside'],
  uid: RefUid = noRef,
): Promise<AccountId | null | undefined> {
  const row = await readBeside((tables) =>
    tables.selectFrom('refs').select('proposer_id').where('uid', '=', uid).executeTakeFirst(),
  )
  return row?.proposer_id
}

const noRef = '' as RefUid

/** Content under a tag is for those who may write every branch that holds it. Here no content comes from the caller. */
function byName(ref: RefFacts | undefined): RefFacts | undefined {
  return ref && { ...ref, holders: [], pastHolders: [] }
}

function notYetThere(name: RefName, uid: RefUid): RefFacts {
  return { name, uid, commit: noCommit, ancestry: [], holders: [], pastHolders: [] }
}

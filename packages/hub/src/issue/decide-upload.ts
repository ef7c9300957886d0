/** Where an account uploads what it will propose: decided like a pull request of its own. */

import { isRefusal, type RepoRef, type UnixSeconds } from '@latchkey/protocol'
import type { FindRepository } from '../access/find-repository.ts'
import { decidePermission, type Policy } from '../permission/decide-permission.ts'
import { anyPullRequest, uploadRefs } from '../permission/own-refs.ts'
import type { Permit } from '../permission/permit.ts'
import type { Facts } from './authenticate.ts'

export interface Uploading {
  readonly findRepository: FindRepository
  readonly policy: Policy
  readonly now: UnixSeconds
}

/** The newest first; none where the account has opened none, or may not propose any more. */
export async function decideUploads(
  { caller, asOf }: Pick<Facts, 'caller' | 'asOf'>,
  repo: RepoRef,
  { findRepository, policy, now }: Uploading,
): Promise<readonly Permit[]> {
  const permits: Permit[] = []
  if (caller.kind === 'anonymous') return permits
  const revision = { kind: 'ref', name: anyPullRequest } as const
  for (const name of uploadRefs(caller.accountId, now)) {
    const repository = await findRepository(caller.accountId, repo, { kind: 'ref', name })
    if (repository?.ref === undefined) continue
    const wanted = { caller, asOf, repo, repository, scope: 'write', revision } as const
    const decision = decidePermission({ ...wanted, asProposer: true }, policy)
    if (!isRefusal(decision)) permits.push(decision)
  }
  return permits
}

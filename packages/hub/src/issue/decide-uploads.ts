/** A token request with `create_pr=1` uploads into the caller's own ref: decided like a pull request of its own. */

import { isRefusal, type RepoRef, type TokenPath, type UnixSeconds } from '@latchkey/protocol'
import type { FindRepository } from '../access/find-repository.ts'
import { decidePermission, type Policy } from '../permission/decide-permission.ts'
import { anyPullRequest, uploadRefs } from '../permission/own-refs.ts'
import type { Permit } from '../permission/permit.ts'
import type { Facts } from './authenticate.ts'

export function asksForUpload({ scope, repo }: TokenPath, target: string): boolean {
  // The name of a ref may have the same words. Without a query its token would be remembered.
  const [, query = ''] = target.split('?', 2)
  const isWanted = /(?:^|&)create_pr=(?:1|true)(?:&|$)/.test(query)
  return scope === 'write' && repo !== undefined && isWanted
}

export interface UploadDeps {
  readonly findRepository: FindRepository
  readonly policy: Policy
  readonly now: UnixSeconds
}

/** The newest first; none where the account has opened none, or may not propose any more. */
export async function decideUploads(
  { caller, asOf }: Pick<Facts, 'caller' | 'asOf'>,
  repo: RepoRef,
  { findRepository, policy, now }: UploadDeps,
): Promise<readonly Permit[]> {
  const permits: Permit[] = []
  if (caller.kind === 'anonymous') return permits
  const revision = { kind: 'ref', name: anyPullRequest } as const
  for (const name of uploadRefs(caller.accountId, now)) {
    const repository = await findRepository(caller.accountId, repo, { kind: 'ref', name })
    if (repository?.ref === undefined) continue
    const request = { caller, asOf, repo, repository, scope: 'write', revision } as const
    const decision = decidePermission({ ...request, asProposer: true }, policy)
    if (!isRefusal(decision)) permits.push(decision)
  }
  return permits
}

/** A token request with `create_pr=1`: the caller uploads into its own ref, if it has opened one. */

import { isRefusal, type TokenPath } from '@latchkey/protocol'
import type { FindRepository } from '../access/find-repository.ts'
import type { Outcome } from './authenticate.ts'
import { decideUploads } from './decide-upload.ts'
import { checkTarget, type Granted, type Issuing, type TokenRequest } from './issue-token.ts'
import { wantedRevision } from './wanted-revision.ts'

export interface Uploads {
  readonly issuing: Issuing
  readonly findRepository: FindRepository
}

export function asksForUpload({ scope, repo }: TokenPath, target: string): boolean {
  const isWanted = /[?&]create_pr=(?:1|true)(?:&|$)/.test(target)
  return scope === 'write' && repo !== undefined && isWanted
}

/** Undefined where there is nothing to upload into: then the request is decided like every other. */
export async function checkUpload(
  request: TokenRequest,
  { issuing, findRepository }: Uploads,
): Promise<Outcome<Granted> | undefined> {
  const { path, now } = request
  const { repo } = path
  if (repo === undefined) return undefined
  // Counted once: below, or where the request is decided like every other.
  const limits = { ...issuing.limits, forHubToken: () => undefined, forFailure: () => undefined }
  const quiet = { ...issuing, limits, noteUse: () => {}, admitsAnonymous: false }
  const revision = wantedRevision(path, issuing.compatible)
  const { result, caller } = await checkTarget(request, { repo, scope: 'read', revision }, quiet)
  if (isRefusal(result) || caller === undefined) return undefined
  const { asOf } = result.permit.permitted
  const uploading = { findRepository, policy: issuing.policy, now }
  const [permit] = await decideUploads({ caller, asOf }, repo, uploading)
  if (permit === undefined) return undefined
  const limited = issuing.limits.forHubToken(caller.hubTokenId)
  if (limited !== undefined) return { result: limited, caller }
  issuing.noteUse(caller.hubTokenId, now)
  return { result: { permit, learned: result.learned, isRecurring: false }, caller }
}

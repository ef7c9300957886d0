/** `POST …/commit/{revision}`: files that are added and removed, as one commit on a branch. */

import { isRefusal, type RefName, type RepoRef, type Revision, refuse } from '@latchkey/protocol'
import { isFlagSet } from '../addresses/query.ts'
import { adoptLargeFiles } from '../committing/adopt-large-files.ts'
import { makeCommit } from '../committing/make-commit.ts'
import { stage } from '../committing/stage.ts'
import { BodyTooLarge, boundedBody } from '../http/bodies.ts'
import type { Handle } from '../http/exchange.ts'
import { json } from '../http/reply.ts'
import { pageUrl } from './addresses-of.ts'
import { pullRequestsLater } from './later.ts'

interface Asked {
  readonly repo: RepoRef | undefined
  readonly revision: Revision
}

const mostBytes = 1024 ** 3

export const commit: Handle<Asked> = async (exchange, asked, parts) => {
  const { hub, query, request, signal } = exchange
  const permitted = await hub.decide({ ...asked, scope: 'write' })
  if (isRefusal(permitted)) return permitted
  if (isFlagSet(query, 'create_pr')) return pullRequestsLater
  const { repo, repositoryUid: uid } = permitted
  const ref = permitted.ref.name as RefName
  if (!ref.startsWith('refs/heads/')) {
    return refuse('bad_request', 'A commit is made on a branch. Name a branch as the revision.')
  }
  const repository = await parts.git.create(uid)
  const staged = await stage(repository, boundedBody(request, mostBytes), { signal }).catch(
    tooLarge,
  )
  if (isRefusal(staged)) return staged
  const refused = await adoptLargeFiles({ hub, storage: parts.storage, repo, ref }, staged.large)
  if (refused !== undefined) return refused
  const making = { ...parts, hub: parts.port }
  const made = await parts.inTurn(uid, () =>
    makeCommit({ repo, uid, ref, repository, hub }, staged, making),
  )
  if (isRefusal(made)) return made
  const commitUrl = `${pageUrl(parts.publicUrl, repo)}/commit/${made}`
  return json({ success: true, commitOid: made, commitUrl, hookOutput: '' })
}

function tooLarge(error: unknown) {
  if (error instanceof BodyTooLarge) return error.refusal
  throw error
}

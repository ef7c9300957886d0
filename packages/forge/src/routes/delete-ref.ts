/** `DELETE …/branch/{branch}` and `DELETE …/tag/{tag}`. */

import { isRefusal, type RefName, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import { saveDependents } from '../adopting/save-dependents.ts'
import type { Exchange, ForgeParts, Handle } from '../http/exchange.ts'
import { json, type Reply } from '../http/reply.ts'
import { deleteRef } from '../moving/move-ref.ts'

interface Named {
  readonly repo: RepoRef | undefined
}

export const deleteBranch: Handle<Named & { readonly branch: RefName | undefined }> = (
  exchange,
  { repo, branch },
  parts,
) => remove(exchange, { repo, ref: branch }, parts)

export const deleteTag: Handle<Named & { readonly tag: RefName | undefined }> = (
  exchange,
  { repo, tag },
  parts,
) => remove(exchange, { repo, ref: tag }, parts)

/** In the repository's turn from the beginning: a commit that comes meanwhile would not be looked at. */
async function remove(
  { hub }: Exchange,
  { repo, ref }: Named & { readonly ref: RefName | undefined },
  parts: ForgeParts,
): Promise<Reply | Refusal> {
  if (repo === undefined || ref === undefined) {
    const permitted = await hub.decide({ repo, revision: undefined, scope: 'read' })
    return isRefusal(permitted) ? permitted : refuse('revision_not_found', 'There is no such ref.')
  }
  const found = await hub.dependents({ repo, ref })
  if (isRefusal(found)) return found
  const { repositoryUid: uid } = found
  const repository = await parts.git.create(uid)
  const refused = await parts.inTurn(uid, async () => {
    const dependents = await hub.dependents({ repo, ref })
    if (isRefusal(dependents)) return dependents
    const saving = { hub, storage: parts.storage, repository, repo }
    const unsaved = await saveDependents(saving, ref, dependents)
    if (unsaved !== undefined) return unsaved
    const { commit: from, refUid } = dependents
    const deletion = { uid, repository, hub, repo, ref, from, refUid }
    return deleteRef({ ...parts, hub: parts.port }, deletion)
  })
  return refused ?? json({})
}

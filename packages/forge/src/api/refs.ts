import {
  isRefusal,
  type RefName,
  type Refusal,
  type RepoRef,
  refKind,
  refuse,
} from '@latchkey/protocol'
import type { RepoAddress } from '../addresses/find-route.ts'
import { removeRef, saveBefore } from '../commits/remove-ref.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { type ForgeReply, json } from '../http/reply.ts'
import { isNone } from '../large-files/open-revision.ts'
import { isFlagSet } from '../words/query.ts'
import { inSlot, turnOf } from './change-in-turn.ts'

export const refs: ForgeHandler<{ readonly repo: RepoRef | undefined }> = async (
  { hub, query },
  { repo },
) => {
  const found = await hub.refs(repo)
  if (isRefusal(found)) return found
  // A branch without a commit cannot be asked for.
  const visibleRefs = [...found.refs].filter(([, commit]) => !isNone(commit))
  const below = (folder: string) =>
    visibleRefs
      .filter(([ref]) => ref.startsWith(folder))
      .map(([ref, targetCommit]) => ({ name: shortName(ref), ref, targetCommit }))
  return json({
    branches: below('refs/heads/'),
    converts: below('refs/convert/'),
    tags: below('refs/tags/'),
    ...(isFlagSet(query, 'include_prs') ? { pullRequests: below('refs/pr/') } : {}),
  })
}

function shortName(ref: RefName): string {
  return refKind(ref) === 'other' ? ref.slice('refs/'.length) : ref.split('/').slice(2).join('/')
}

export const deleteBranch: ForgeHandler<RepoAddress & { readonly branch: RefName | undefined }> = (
  exchange,
  { repo, branch },
  parts,
) => remove(exchange, { repo, ref: branch }, parts)

export const deleteTag: ForgeHandler<RepoAddress & { readonly tag: RefName | undefined }> = (
  exchange,
  { repo, tag },
  parts,
) => remove(exchange, { repo, ref: tag }, parts)

/** Content is saved beside other work. What comes meanwhile is saved in the repository's turn. */
async function remove(
  exchange: Exchange,
  { repo, ref }: RepoAddress & { readonly ref: RefName | undefined },
  parts: ForgeDeps,
): Promise<ForgeReply | Refusal> {
  const { hub, signal: client } = exchange
  if (repo === undefined || ref === undefined) {
    const permitted = await hub.decide({ repo, revision: undefined, scope: 'read' })
    return isRefusal(permitted) ? permitted : refuse('revision_not_found', 'There is no such ref.')
  }
  const found = await hub.dependents({ repo, ref })
  if (isRefusal(found)) return found
  const { repositoryUid: uid } = found
  const repository = await parts.git.create(uid)
  const {
    bounds: { savingMs },
  } = parts
  const signal = AbortSignal.any([client, AbortSignal.timeout(savingMs)])
  const removing = { hub, repository, repo, ref, uid, signal }
  try {
    const unsaved = await saveBefore(parts, removing, found)
    if (unsaved !== undefined) return unsaved
    const turn = turnOf({ hub, signal }, uid)
    const inOwnSlot = () => parts.inTurn(turn, () => removeRef(parts, removing))
    return (await inSlot({ hub, signal }, parts, inOwnSlot)) ?? json({})
  } catch (error) {
    if (error !== signal.reason || client.aborted) throw error
    return takesLong(savingMs)
  }
}

function takesLong(milliseconds: number): Refusal {
  const detail = `Other refs or commits need content of this one, and saving it takes longer than ${milliseconds / 1000} s. Delete it again: the hub continues where it stopped.`
  return refuse('not_ready', detail, { retryAfterSeconds: 1 })
}

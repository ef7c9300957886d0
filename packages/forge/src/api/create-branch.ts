import type { IssuedStorageToken, PermittedRevision } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  noCommit,
  parseRevision,
  type RefName,
  type Refusal,
  type RepoRef,
  type Revision,
  refuse,
} from '@latchkey/protocol'
import { adoptFiles } from '../commits/adopt-files.ts'
import { largeFilesOf } from '../commits/large-files-in.ts'
import { makeRef } from '../commits/make-ref.ts'
import { moveRef } from '../commits/move-ref.ts'
import { isLongerHash, type Repository } from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { jsonMembers } from '../http/bodies.ts'
import { type ForgeReply, json } from '../http/reply.ts'
import { isNone } from '../large-files/open-revision.ts'
import { isAbsent } from '../words/members.ts'
import { inSlot, turnOf } from './change-in-turn.ts'

interface BranchAddress {
  readonly repo: RepoRef | undefined
  /** Undefined when no branch can be called so. */
  readonly branch: RefName | undefined
}

export const createBranch: ForgeHandler<BranchAddress> = async (
  exchange,
  { repo: named, branch: ref },
  parts,
) => {
  const { hub, signal } = exchange
  // A stranger must not make us read a body.
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const wish = await readWish(exchange)
  if (isRefusal(wish)) return wish
  if (named === undefined || ref === undefined) return noSuchName(exchange, named)
  const reserved = await hub.newRef({ repo: named, ref })
  if (isRefusal(reserved)) {
    const isTaken = reserved.code === 'conflict' && wish.overwrite
    return isTaken ? overwrite(exchange, { repo: named, ref, wish }, parts) : reserved
  }
  const { refUid } = reserved
  const start = wish.isEmpty ? undefined : await startAt(exchange, named, wish.start)
  if (isRefusal(start)) return start
  if (start === undefined) {
    const none = { from: noCommit, to: noCommit, refUid, isNew: true }
    return (await hub.moveRef({ repo: named, ref, ...none })) ?? json({})
  }
  const { commit, through, permitted } = start
  const { repositoryUid: uid, repo } = permitted
  const refused = await inSlot(exchange, parts, async () => {
    await parts.reserve.check()
    const repository = await parts.git.create(uid)
    const request = { hub, repo, ref, reserved, repository, commit, through, signal }
    return parts.inTurn(turnOf(exchange, uid), () => makeRef(parts, request))
  })
  return refused ?? json({})
}

interface Wish {
  readonly start: Revision | undefined
  readonly isEmpty: boolean
  readonly overwrite: boolean
}

async function readWish(exchange: Exchange): Promise<Wish | Refusal> {
  const members = await jsonMembers(exchange)
  if (isRefusal(members)) return members
  const { startingPoint, emptyBranch, overwrite } = members
  if (!isAbsent(startingPoint) && typeof startingPoint !== 'string') {
    return refuse('bad_request', 'startingPoint must be a text.')
  }
  const isEmpty = emptyBranch === true
  if (isEmpty && !isAbsent(startingPoint)) {
    return refuse('bad_request', 'A branch is empty or has a startingPoint. Leave one of them out.')
  }
  const start = isAbsent(startingPoint) ? undefined : parseRevision(startingPoint)
  return { start, isEmpty, overwrite: overwrite === true }
}

/** Said only to callers who may read the repository: absent and hidden ones are answered alike. */
async function noSuchName({ hub }: Exchange, repo: RepoRef | undefined): Promise<Refusal> {
  const permitted = await hub.decide({ repo, revision: undefined, scope: 'read' })
  if (isRefusal(permitted)) return permitted
  return refuse('bad_request', 'No branch can have this name.')
}

export interface Start {
  readonly permitted: PermittedRevision
  readonly commit: CommitHash
  readonly through: readonly IssuedStorageToken[]
}

/** Undefined where the revision has no commit yet. */
export async function startAt(
  { hub }: Pick<Exchange, 'hub'>,
  named: RepoRef,
  revision: Revision | undefined,
): Promise<Start | Refusal | undefined> {
  const permitted = await hub.decide({ repo: named, revision, scope: 'read' })
  if (isRefusal(permitted)) return permitted
  const { commit, repo, ref } = permitted
  if (isNone(commit)) return undefined
  const token = await hub.storageToken({ repo, revision: parseRevision(ref.name), scope: 'read' })
  return isRefusal(token) ? token : { permitted, commit, through: [token] }
}

interface Overwriting {
  readonly repo: RepoRef
  readonly ref: RefName
  readonly wish: Wish
}

/** The branch stays, and what it had stays with its commits. */
async function overwrite(
  exchange: Exchange,
  { repo, ref, wish }: Overwriting,
  parts: ForgeDeps,
): Promise<ForgeReply | Refusal> {
  const { hub, signal } = exchange
  if (wish.isEmpty) {
    return refuse('bad_request', 'A branch that is there cannot be made empty. Delete it first.')
  }
  if (wish.start === undefined) return json({})
  const start = await startAt(exchange, repo, wish.start)
  if (isRefusal(start)) return start
  if (start === undefined) return refuse('bad_request', 'The startingPoint has no commit yet.')
  const { permitted, commit: to, through } = start
  const { repositoryUid: uid } = permitted
  const move = async (repository: Repository) => {
    const revision = { kind: 'ref', name: ref } as const
    const own = await hub.decide({ repo, revision, scope: 'write' })
    if (isRefusal(own)) return own
    const token = await hub.storageToken({ repo, revision, scope: 'write' })
    if (isRefusal(token)) return token
    const tree = await repository.treeOf(to)
    const files = tree === undefined ? [] : await largeFilesOf(repository, signal)(tree)
    const refusal = await adoptFiles(parts.storage, files, { to: token, through })
    if (refusal !== undefined) return refusal
    const { refUid } = token
    const { commit: from } = own
    if (from === to) return undefined
    const isHere = !isNone(from) && !isLongerHash(from)
    const isForced = isHere && (await repository.mergeBase([from, to], { signal })) !== from
    const moved = { uid, repository, hub, repo, ref, from, to, refUid, isForced }
    return moveRef({ ...parts, hub: parts.port }, moved)
  }
  const refused = await inSlot(exchange, parts, async () => {
    await parts.reserve.check()
    const repository = await parts.git.create(uid)
    return parts.inTurn(turnOf(exchange, uid), () => move(repository))
  })
  return refused ?? json({})
}

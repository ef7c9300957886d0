/** Moves a ref in git and in the directory: both or neither, whatever fails between them. */

import type { CallerQuestions, RefDeletion, RefMove } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  type NoCommit,
  noCommit,
  type RefName,
  type Refusal,
  type RepositoryUid,
  refuse,
} from '@latchkey/protocol'
import {
  isLongerHash,
  type ObjectHash,
  type PreparedRefs,
  type RefChange,
  type Repository,
} from '../git/index.ts'
import { isNone } from '../large-files/open-revision.ts'
import type { UnderWay } from './markers.ts'
import { type Settling, settle } from './settle.ts'

interface InRepository {
  readonly uid: RepositoryUid
  readonly repository: Repository
}

export interface Move extends RefMove, InRepository {
  readonly to: CommitHash
  /** Asks as the caller. */
  readonly hub: Pick<CallerQuestions, 'moveRef'>
  /** The object that git's ref points to if that is no commit. */
  readonly tag?: ObjectHash | undefined
}

/** To be called in the repository's turn, with all objects written. */
export async function moveRef(settling: Settling, move: Move): Promise<Refusal | undefined> {
  const { uid, repository, hub, repo, ref, asProposer, from, to, refUid, tag } = move
  const { isNew, isForced } = move
  // Git has nothing for a longer hash.
  const old = isNone(from) || isLongerHash(from) ? noCommit : from
  const change = { ref, old, new: tag ?? to }
  const keptChanges = isForced ? await repository.keeping([from]) : []
  const underWay = {
    ...(isNew && { reserved: refUid }),
    ...(tag && { tag: { ref, object: tag } }),
  }
  const moving = { uid, repository, changes: [change, ...keptChanges], underWay }
  return inTwoSteps(settling, moving, () =>
    hub.moveRef({ repo, ref, asProposer, from, to, refUid, isNew, isForced }),
  )
}

export interface Deletion extends RefDeletion, InRepository {
  readonly hub: Pick<CallerQuestions, 'deleteRef'>
}

/** The same for a ref that goes. Its commit is kept, in git and in the directory. */
export async function deleteRef(
  settling: Settling,
  deletion: Deletion,
): Promise<Refusal | undefined> {
  const { uid, repository, hub, repo, ref, from, refUid, saved, isForced } = deletion
  const changes = await deletionIn(repository, ref, from)
  return inTwoSteps(settling, { uid, repository, changes, underWay: {} }, () =>
    hub.deleteRef({ repo, ref, from, refUid, saved, isForced }),
  )
}

/** A branch without a commit is in the directory alone. */
async function deletionIn(
  repository: Repository,
  ref: RefName,
  from: CommitHash | NoCommit,
): Promise<readonly RefChange[]> {
  const found = (await repository.refs({ only: [ref] })).get(ref)
  if (found === undefined) return []
  const behind = (await repository.commitBehind(found)) ?? noCommit
  return [{ ref, old: undefined, new: noCommit }, ...(await repository.keeping([from, behind]))]
}

interface TwoSteps extends InRepository {
  readonly changes: readonly RefChange[]
  readonly underWay: UnderWay
}

/**
 * The directory says what counts: git is prepared before its transaction, so nothing waits for git inside it, and follows
 * after. A kill in between leaves the marker.
 */
async function inTwoSteps(
  settling: Settling,
  steps: TwoSteps,
  change: () => Promise<Refusal | undefined>,
): Promise<Refusal | undefined> {
  const { uid, changes, underWay } = steps
  const { markers } = settling
  if (changes.length === 0) return change()
  await markers.set(uid, underWay)
  const prepared = await prepare(settling, steps)
  if (!('ok' in prepared)) return prepared
  let isChanged = false
  try {
    const refused = await change()
    isChanged = refused === undefined
    if (isChanged) await prepared.commit()
    else await prepared.abort()
    await markers.clear(uid)
    return refused
  } catch (error) {
    await prepared.abort()
    // If this fails, too, the marker stays for the next turn.
    await settle(settling, uid).catch(() => {})
    if (isChanged) return undefined
    throw error
  }
}

async function prepare(
  settling: Settling,
  { uid, repository, changes, underWay }: TwoSteps,
): Promise<PreparedRefs | Refusal> {
  const first = await repository.prepareRefs(changes)
  if (first.ok) return first
  // In its own turn nobody else of this process holds the ref, so the lock is of a git that was killed. Or the hub's own
  // commands have moved the ref, and what git had is kept now.
  await settle(settling, uid)
  await settling.markers.set(uid, underWay)
  const second = await repository.prepareRefs(
    changes.map((change) => ({ ...change, old: undefined })),
  )
  if (second.ok) return second
  await settling.markers.clear(uid)
  return refuse('conflict', 'The ref is being changed, or its name is taken. Try again.')
}

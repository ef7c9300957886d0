/** Moves a ref in git and in the directory: both or neither, whatever fails between them. */

import { isRefusal, type Refusal, type RepositoryUid, refuse } from '@latchkey/protocol'
import type { PreparedRefs, Repository } from '../git/index.ts'
import type { DirectoryMove, HubQuestions } from '../hub-port.ts'
import { type Settling, settle } from './settle.ts'

export interface Move extends DirectoryMove {
  readonly uid: RepositoryUid
  readonly repository: Repository
  /** Asks as the caller. */
  readonly hub: Pick<HubQuestions, 'moveRef'>
}

/**
 * To be called in the repository's turn, with all objects written. The directory says what counts: git is prepared before
 * its transaction, so nothing waits for git inside it, and follows after. A kill in between leaves the marker.
 */
export async function moveRef(settling: Settling, move: Move): Promise<Refusal | undefined> {
  const { uid, hub, repo, ref, from, to } = move
  const { markers } = settling
  await markers.set(uid)
  const prepared = await prepare(settling, move)
  if (isRefusal(prepared)) return prepared
  try {
    const refused = await hub.moveRef({ repo, ref, from, to })
    if (refused === undefined) await prepared.commit()
    else await prepared.abort()
    await markers.clear(uid)
    return refused
  } catch (error) {
    await prepared.abort()
    // If this fails, too, the marker stays for the next start.
    await settle(settling, uid).catch(() => {})
    throw error
  }
}

async function prepare(
  settling: Settling,
  { uid, repository, ref, to }: Move,
): Promise<PreparedRefs | Refusal> {
  // The directory compares with the commit before; git follows it from wherever it is.
  const change = { ref, old: undefined, new: to }
  const first = await repository.prepareRefs([change])
  if (first.ok) return first
  // In its own turn nobody else of this process holds the ref, so the lock is of a git that was killed.
  await settle(settling, uid)
  await settling.markers.set(uid)
  const second = await repository.prepareRefs([change])
  if (second.ok) return second
  await settling.markers.clear(uid)
  return refuse('conflict', 'The ref is being changed, or its name is taken. Try again.')
}

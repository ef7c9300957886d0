/** Deletes a ref after what others need of its content is saved. */

import type { CallerPort, CallerQuestions, RefDependents } from '@latchkey/admin-api/forge-port'
import { isRefusal, type RefName, type Refusal, type RepositoryUid } from '@latchkey/protocol'
import { deleteRef } from './move-ref.ts'
import { type Saving, saveDependents } from './save-dependents.ts'
import type { SavedContent } from './saved-content.ts'
import type { Settling } from './settle.ts'

export interface RemovingParts extends Omit<Settling, 'hub'>, Pick<Saving, 'storage'> {
  readonly port: CallerPort
  readonly saved: SavedContent
}

export interface Removing extends Pick<Saving, 'repository' | 'repo' | 'signal'> {
  readonly hub: Pick<CallerQuestions, 'decide' | 'storageToken' | 'dependents' | 'deleteRef'>
  readonly ref: RefName
  readonly uid: RepositoryUid
  /** Whether only a ref rule that allows force permits it. */
  readonly isForced?: boolean
}

/** Content is saved beside other work. What comes meanwhile is saved in the repository's turn. */
export function saveBefore(
  { storage, saved }: RemovingParts,
  { hub, repository, repo, ref, signal }: Removing,
  dependents: RefDependents,
): Promise<Refusal | undefined> {
  return saveDependents({ hub, storage, repository, repo, signal, saved }, ref, dependents)
}

/** To be called in the repository's turn. */
export async function removeRef(
  parts: RemovingParts,
  removing: Removing,
): Promise<Refusal | undefined> {
  const { hub, repository, repo, ref, uid, isForced } = removing
  const dependents = await hub.dependents({ repo, ref })
  if (isRefusal(dependents)) return dependents
  const unsaved = await saveBefore(parts, removing, dependents)
  if (unsaved !== undefined) return unsaved
  const { commit: from, refUid } = dependents
  const deletion = { hub, repo, ref, from, refUid, saved: dependents }
  const refused = await deleteRef(
    { ...parts, hub: parts.port },
    { uid, repository, ...deletion, ...(isForced && { isForced }) },
  )
  if (refused === undefined) parts.saved.forget(refUid)
  return refused
}

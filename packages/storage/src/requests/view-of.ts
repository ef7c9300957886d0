/** What a grant lets its bearer look at, and where it lets him write. */

import type { Gate, Grant } from '@latchkey/gate'
import type { View, WritablePlace } from '../catalog/catalog.ts'

/** How far content reaches: its own ref and what the token sees besides, or every ref of its repository. */
export type ContentIsolation = 'ref' | 'repository'

export function viewOf(grant: Grant, isolation: ContentIsolation): View {
  const { repositoryUid, refUid, sees } = grant
  if (isolation === 'repository') return { repositoryUid, refs: undefined }
  return { repositoryUid, refs: [{ uid: refUid, before: undefined }, ...sees] }
}

export function placeOf(grant: Grant, judge: Gate['judge']): WritablePlace {
  const { repositoryUid, refUid } = grant
  return { repositoryUid, refUid, refuseIfRevoked: () => judge(grant) }
}

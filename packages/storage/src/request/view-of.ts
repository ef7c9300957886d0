/** Turns a grant into the refs that its bearer may read, and the one that it may write to. */

import type { Gate, Grant } from '@latchkey/gate'
import {
  asRefUid,
  asRepositoryUid,
  isRefusal,
  journalNumber,
  type Refusal,
  refuse,
  uploadFolder,
} from '@latchkey/protocol'
import type { View, WritablePlace } from '../catalog/catalog.ts'
import type { Sight } from './asked.ts'

/** How far content reaches: its own ref and what the token sees besides, or every ref of its repository. */
export type ContentIsolation = 'ref' | 'repository'

export function viewOf(grant: Grant, isolation: ContentIsolation): View {
  const repositoryUid = asRepositoryUid(grant.repositoryUid)
  if (isolation === 'repository') return { repositoryUid, refs: undefined }
  const seenRefs = grant.sees.map(({ uid, before }) => ({
    uid: asRefUid(uid),
    before: journalNumber(before),
  }))
  return { repositoryUid, refs: [{ uid: asRefUid(grant.refUid), before: undefined }, ...seenRefs] }
}

export interface Looking extends Pick<Gate, 'checkGrant' | 'verifyToken'> {
  readonly isolation: ContentIsolation
  /** Called before a view is looked at. */
  readonly hear: (view: View) => Promise<View>
}

/** Security boundary: a second token is verified and judged as the first one was, and opens no other repository. */
export function sightThrough(
  { checkGrant, verifyToken, isolation, hear }: Looking,
  own: Grant,
  address: string | undefined,
): (token: string) => Promise<Sight | Refusal> {
  return async (token) => {
    const grant = await verifyToken(token, address)
    if (isRefusal(grant)) return grant
    if (grant.repositoryUid !== own.repositoryUid) return otherRepository
    const view = await hear(viewOf(grant, isolation))
    return { view, refuseIfRevoked: () => checkGrant(grant) }
  }
}

const otherRepository = refuse(
  'repository_mismatch',
  'One of the storage tokens is for another repository. Name only tokens of the repository that the request writes to.',
)

/** An account that may only propose must not fill the quota of those who may write. */
const uploadPart = 1 / 4

export function placeOf(grant: Grant, check: Gate['checkGrant']): WritablePlace {
  const repositoryUid = asRepositoryUid(grant.repositoryUid)
  const refUid = asRefUid(grant.refUid)
  const quotaPart = grant.ref.startsWith(uploadFolder) ? uploadPart : undefined
  return { repositoryUid, refUid, quotaPart, refuseIfRevoked: () => check(grant) }
}

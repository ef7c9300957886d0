/** Makes a branch or a tag at a commit that is there, with the content of its large files. */

import type {
  CallerPort,
  CallerQuestions,
  CallerRef,
  IssuedStorageToken,
  ReservedRef,
} from '@latchkey/admin-api/forge-port'
import { type CommitHash, noCommit, type Refusal } from '@latchkey/protocol'
import type { ObjectHash, Repository } from '../git/index.ts'
import type { AskStorage } from '../large-files/ask-storage.ts'
import type { Pointer } from '../words/pointer.ts'
import { adoptFiles } from './adopt-files.ts'
import { largeFilesOf } from './large-files-in.ts'
import { moveRef } from './move-ref.ts'
import type { Settling } from './settle.ts'

export interface NewRefAt extends CallerRef {
  readonly hub: Pick<CallerQuestions, 'moveRef'>
  readonly reserved: ReservedRef
  readonly repository: Repository
  readonly commit: CommitHash
  /** See the content of the commit, as far as the caller does. */
  readonly through: readonly IssuedStorageToken[]
  /** A tag with a message. */
  readonly tag?: ObjectHash | undefined
  /** Aborted when the client has gone. It ends the reading before the change, and never the change. */
  readonly signal: AbortSignal
  /** Adopts what must not be missing. */
  readonly adoptFirst?: () => Promise<Refusal | undefined>
  /** Adopts the files of the commit in place of what the tokens see. */
  readonly adopt?: (files: readonly Pointer[]) => Promise<Refusal | undefined>
}

export interface MakingRefs extends Omit<Settling, 'hub'> {
  readonly port: CallerPort
  readonly storage: AskStorage
}

/** To be called in the repository's turn. */
export async function makeRef(parts: MakingRefs, request: NewRefAt): Promise<Refusal | undefined> {
  const { hub, repo, ref, asProposer, reserved, repository, commit: to, through, tag } = request
  const { repositoryUid: uid, refUid } = reserved
  const tree = await repository.treeOf(to)
  const files = tree === undefined ? [] : await largeFilesOf(repository, request.signal)(tree)
  return withReserved(parts, reserved, async () => {
    const missing = await request.adoptFirst?.()
    if (missing !== undefined) return missing
    const adopting = { to: reserved.token, through }
    const refused = await (request.adopt?.(files) ?? adoptFiles(parts.storage, files, adopting))
    if (refused !== undefined) return refused
    const settling = { ...parts, hub: parts.port }
    const move = { uid, repository, hub, repo, ref, asProposer, from: noCommit, to, refUid, tag }
    return moveRef(settling, { ...move, isNew: true })
  })
}

/** If the ref does not come to be, the storage removes what was stored for it, also after a kill. */
async function withReserved(
  { markers, port }: MakingRefs,
  { repositoryUid: uid, refUid }: ReservedRef,
  work: () => Promise<Refusal | undefined>,
): Promise<Refusal | undefined> {
  await markers.set(uid, { reserved: refUid })
  let isMade = false
  try {
    const refused = await work()
    isMade = refused === undefined
    return refused
  } finally {
    if (!isMade) await port.dropReserved(uid, refUid)
    await markers.clear(uid)
  }
}

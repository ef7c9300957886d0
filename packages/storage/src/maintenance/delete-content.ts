/** Removes one file or xorb from a repository for good. */

import { isRefusal, type Refusal, type RepositoryUid, refuse } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { readLinkState } from '../catalog/link-state.ts'
import { hold } from '../catalog/locks.ts'
import { objectsOf } from '../catalog/object-names.ts'
import { deliverEpochs, noteRemoval } from '../following/deliver-epochs.ts'
import { type Amount, sumOf } from './amount.ts'
import { beginDeletion } from './begin-deletion.ts'
import { contentToDelete, type DoomedContent } from './content-to-delete.ts'
import type { Maintenance } from './maintenance.ts'
import { deleteObjects, unmapUnnamed, unnamed } from './remove-objects.ts'
import {
  digestsOf,
  type GoneXorb,
  removeFileRows,
  removeXorbRows,
  rowsByDigest,
  xorbRows,
} from './remove-rows.ts'
import { type FoundRepository, findStored, type WantedRepository } from './repository-names.ts'

export interface ForgetOptions {
  readonly isDryRun?: boolean
  /** Leave the bytes to a later collection: nothing leads to them any more. */
  readonly keepsBytes?: boolean
}

/**
 * The deleted content; in a dry run the content that would be deleted. The rows of every ref count.
 */
export interface DeletedContent {
  readonly repository: string
  readonly kind: 'file' | 'xorb'
  readonly files: Amount
  readonly xorbs: Amount
  /** Xorbs that stay, because other files of the repository are made of them. */
  readonly sharedXorbs: number
  /** Objects that no repository has any more. */
  readonly objects: number
}

/** Like collection, it removes nothing without the hub. */
export async function deleteContent(
  maintenance: Maintenance,
  target: { readonly repository: WantedRepository; readonly hash: Hash },
  { isDryRun = true, keepsBytes = false }: ForgetOptions = {},
): Promise<DeletedContent | Refusal> {
  const refused = isDryRun ? undefined : await beginDeletion(maintenance)
  if (isRefusal(refused)) return refused
  const repository = await findStored(maintenance, target.repository)
  if (isRefusal(repository)) return repository
  const { uid } = repository
  const doomed = await maintenance.read((tables) => contentToDelete(tables, uid, target.hash))
  if (doomed === undefined) return unknownHash(repository, target.hash)
  const going = isDryRun
    ? await wouldGo(maintenance, uid, doomed)
    : await remove(maintenance, uid, { doomed, keepsBytes })
  if (going === undefined) return movesNow(repository)
  if (isRefusal(going)) return going
  const [xorbs, objects] = going
  return {
    repository: repository.path,
    kind: doomed.kind,
    files: sumOf(doomed.files.values()),
    xorbs: sumOf(xorbs.map(({ packedBytes }) => packedBytes)),
    sharedXorbs: doomed.shared.size,
    objects,
  }
}

type Going = readonly [xorbs: readonly GoneXorb[], objects: number]

async function wouldGo(
  { read }: Maintenance,
  uid: RepositoryUid,
  doomed: DoomedContent,
): Promise<Going> {
  const rows = await read((tables) => xorbRows(tables, uid, [...doomed.xorbs]))
  const leaving = rowsByDigest(rows)
  const free = await read((tables) => unnamed(tables, [...leaving.keys()], leaving))
  return [rows, (await read((tables) => objectsOf(tables, free))).size]
}

/** Rows in one transaction, objects after it: cut off between, collection frees them. */
async function remove(
  maintenance: Maintenance,
  uid: RepositoryUid,
  { doomed, keepsBytes }: { readonly doomed: DoomedContent; readonly keepsBytes: boolean },
): Promise<Going | Refusal | undefined> {
  const gone = await maintenance.change(async (tables) => {
    await hold(tables, { link: 'shared', repositories: [uid] })
    if ((await readLinkState(tables)).moving[uid] !== undefined) return undefined
    await doomed.look(tables)
    await removeFileRows(tables, [...doomed.files.keys()])
    await noteRemoval(tables, uid)
    return removeXorbRows(tables, uid, [...doomed.xorbs])
  })
  if (gone === undefined) return undefined
  await deliverEpochs(maintenance.database, maintenance.link)
  const free = await unmapUnnamed(maintenance, digestsOf(gone))
  const keys = free.map(({ key }) => key)
  if (keepsBytes) return [gone, keys.length]
  if (keys.length > 0) await maintenance.letReadersEnd()
  const deleted = await deleteObjects(maintenance, keys)
  return isRefusal(deleted) ? deleted : [gone, deleted.count]
}

/** The copy could have it already. */
function movesNow({ path }: FoundRepository): Refusal {
  return refuse(
    'conflict',
    `The content of ${path} moves to another storage. Wait for the end of the move, then delete the content there.`,
  )
}

function unknownHash({ path }: FoundRepository, hash: Hash): Refusal {
  return refuse(
    'resource_not_found',
    `No file and no xorb of ${path} has the hash ${hash}. Check the hash, and the repository.`,
  )
}

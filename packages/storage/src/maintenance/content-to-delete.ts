/**
 * Finds the content to delete with a hash: files of that name or made of it, and xorbs that only
 * these files use.
 */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { StorageTables } from '../catalog/schema.ts'
import { Terms } from '../catalog/terms.ts'
import { fileWatch } from './file-watch.ts'

export interface DoomedContent {
  readonly kind: 'file' | 'xorb'
  /** How large each is, by its position; every ref that has one has its own. */
  readonly files: ReadonlyMap<number, number>
  readonly xorbs: ReadonlySet<Hash>
  /** Xorbs that other files are made of, too: they stay. */
  readonly shared: ReadonlySet<Hash>
  /** Takes in what came since the last look. */
  readonly look: (tables: StorageTables) => Promise<void>
}

/** Undefined when the repository has nothing of that hash. */
export async function contentToDelete(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
  hash: Hash,
): Promise<DoomedContent | undefined> {
  const place = { repositoryUid, hash }
  const xorbs = await xorbsOfFile(tables, place)
  if (xorbs !== undefined) return looked(tables, doomedByFile(place, xorbs))
  return (await hasXorb(tables, place)) ? looked(tables, doomedByXorb(place)) : undefined
}

interface Named {
  readonly repositoryUid: RepositoryUid
  readonly hash: Hash
}

async function looked(tables: StorageTables, doomed: DoomedContent): Promise<DoomedContent> {
  await doomed.look(tables)
  return doomed
}

function doomedByFile({ repositoryUid, hash }: Named, ofFile: ReadonlySet<Hash>): DoomedContent {
  const files = new Map<number, number>()
  const xorbs = new Set(ofFile)
  const shared = new Set<Hash>()
  const look = fileWatch(repositoryUid, (file) => {
    if (file.hash === hash) {
      files.set(file.position, file.bytes)
      return
    }
    for (const { xorb } of new Terms(file.terms)) {
      if (xorbs.delete(xorb)) shared.add(xorb)
    }
  })
  return { kind: 'file', files, xorbs, shared, look }
}

function doomedByXorb({ repositoryUid, hash }: Named): DoomedContent {
  const files = new Map<number, number>()
  const look = fileWatch(repositoryUid, ({ position, bytes, terms }) => {
    if (new Terms(terms).xorbs().includes(hash)) files.set(position, bytes)
  })
  return { kind: 'xorb', files, xorbs: new Set([hash]), shared: new Set(), look }
}

/** Refs may have put the same file together in different ways. */
async function xorbsOfFile(
  tables: StorageTables,
  { repositoryUid, hash }: Named,
): Promise<ReadonlySet<Hash> | undefined> {
  const files = tables
    .selectFrom('stored_files')
    .select('terms')
    .where('repository_uid', '=', repositoryUid)
    .where('hash', '=', hash)
  let xorbs: Set<Hash> | undefined
  for await (const { terms } of files.stream()) {
    xorbs = new Set([...(xorbs ?? []), ...new Terms(terms).xorbs()])
  }
  return xorbs
}

async function hasXorb(tables: StorageTables, { repositoryUid, hash }: Named): Promise<boolean> {
  const row = await tables
    .selectFrom('stored_xorbs')
    .select('hash')
    .where('repository_uid', '=', repositoryUid)
    .where('hash', '=', hash)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The tables of the catalog; they lie beside the directory's, in the hub's own database, and are made by its migration 0002. */

import type { Tables } from '@latchkey/hub/management'
import type { RefUid, RepositoryUid } from '@latchkey/protocol'
import type { Generated, Kysely } from 'kysely'

/** A row belongs to one ref or commit, by its uid, and so to one repository. */
interface Owned {
  ref_uid: RefUid
  hash: string
  repository_uid: RepositoryUid
  written_at: number
}

export interface XorbRow extends Owned {
  digest: string
  packed_bytes: number
  unpacked_bytes: number
  chunks: number
  /** When the ref got it again: its age begins anew, what sees it does not change. */
  renewed_at: Generated<number>
}

export interface FileRow extends Owned {
  /** Grows with every file, whichever repository it is of. */
  position: Generated<number>
  bytes: number
  terms: Uint8Array
}

export interface ChunkRow extends Owned {
  xorb_hash: string
}

export type StorageSchema = {
  stored_xorbs: XorbRow
  stored_files: FileRow
  stored_chunks: ChunkRow
  /** Of all refs together; kept by the database itself. */
  stored_totals: { repository_uid: RepositoryUid; bytes: number; objects: number }
}

type DirectorySchema = Tables extends Kysely<infer Schema> ? Schema : never

export type StorageTables = Kysely<DirectorySchema & StorageSchema>

/** The same connection or transaction, with the catalog's tables in view. */
export function withStorage(tables: Tables): StorageTables {
  return tables.$extendTables<StorageSchema>()
}

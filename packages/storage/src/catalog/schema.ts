/** The tables of the storage's database. */

import type { RefUid, RepositoryUid } from '@latchkey/protocol'
import type { Generated, Kysely } from 'kysely'

/** A row belongs to one ref or commit, by its uid, and so to one repository. */
interface Owned {
  ref_uid: RefUid
  hash: string
  repository_uid: RepositoryUid
  /** In Unix seconds: its age, for collection. */
  written_at: number
  /** The journal's number that decides who else sees it. */
  stamp: number
}

export interface XorbRow extends Owned {
  digest: string
  packed_bytes: number
  unpacked_bytes: number
  chunks: number
  /** When the ref got it again: its age begins anew, what sees it does not change. */
  renewed_at: Generated<number>
}

export interface ObjectRow {
  key: string
  /** Null while it is reserved, and once it is unmapped. */
  digest: string | null
  /** Together with its chunk table. */
  bytes: number
  /** When its upload was about to write it: its age, for collection. */
  reserved_at: number
  /** When it was unmapped: its bytes are deleted after that. */
  unmapped_at: Generated<number | null>
}

/** A xorb with the object that has its bytes. */
export interface FoundXorbRow extends XorbRow {
  key: string
}

export interface FileRow extends Owned {
  /** Grows with every file, whichever repository it is of. */
  position: Generated<number>
  bytes: number
  terms: Uint8Array
  /** Null for a file without chunks. */
  first_chunk: string | null
  /** Null until the storage has computed it from the bytes. */
  sha256: string | null
}

export interface ChunkRow extends Owned {
  xorb_hash: string
}

/** A file that comes in several requests of one account, by the name that the client chose. */
export interface UploadRow {
  ref_uid: RefUid
  account: string
  name: string
  repository_uid: RepositoryUid
  /** How many bytes of the file are stored. */
  bytes: number
  /** The state that the next piece begins with, in JSON; null at the beginning, and once the file is whole. */
  state: string | null
  /** The bytes after the last whole chunk. */
  rest: Uint8Array | null
  terms: Uint8Array
  /** The response, in JSON, once the file is registered. */
  file: string | null
  /** When its last bytes were stored. */
  touched_at: number
}

/** A xorb that a client may put into the store itself. */
export interface GrantRow {
  key: string
  repository_uid: RepositoryUid
  ref_uid: RefUid
  account: string
  hub_token: string
  /** The storage token that asked. */
  jti: string
  hash: string
  bytes: number
  ends_at: number
  state: GrantState
}

/** `refused` never becomes another. */
export type GrantState = 'open' | 'refused' | 'inserted' | 'known'

/** How far the hub's journal is followed. */
export interface HubLinkRow {
  id: number
  /** Every removal up to this number is applied; null until the hub has answered once. */
  applied: number | null
  /** The highest number that the storage has heard of. */
  known: number
  /** When the hub last did not know the number to go on from. */
  lost_at: number | null
  /** JSON: the repositories whose content moves to another storage, each with the number of its move. */
  moving: string
  /** The uid up to which the quotas of the hub are read, in their order; null once all are. */
  quotas_after: string | null
}

/** The quota that the hub gives a repository or namespace; null is none. */
interface QuotaColumns {
  bytes: number | null
  /** The number of the hub's journal when it was read. */
  number: number
}

export interface NamespaceQuotaRow extends QuotaColumns {
  namespace: string
  /** Bytes of its repositories together, right while there is a quota; the database itself maintains it. */
  held: Generated<number>
  /** The part that uploads and pull requests by accounts that may not write have. */
  proposed: Generated<number>
}

export interface RepositoryQuotaRow extends QuotaColumns {
  repository_uid: RepositoryUid
  namespace: string
}

export interface RemovedPlaceRow {
  /** The uid of a repository, ref or commit. */
  uid: string
  removed_at: number
  /** Whether its rows are deleted. */
  is_swept: Generated<number>
}

export type StorageSchema = {
  stored_xorbs: XorbRow
  stored_objects: ObjectRow
  stored_files: FileRow
  stored_chunks: ChunkRow
  file_uploads: UploadRow
  xorb_grants: GrantRow
  /** Totals of all refs together; the database itself maintains them. */
  stored_totals: { repository_uid: RepositoryUid; bytes: number; objects: number }
  hub_link: HubLinkRow
  repository_quotas: RepositoryQuotaRow
  namespace_quotas: NamespaceQuotaRow
  removed_places: RemovedPlaceRow
  epoch_outbox: { position: Generated<number>; repository_uid: RepositoryUid }
  settings: { name: string; value: string }
}

export type StorageTables = Kysely<StorageSchema>

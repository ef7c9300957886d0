/** The catalogue as a copy sees it: every column of every table, and which ones are its key. */

import type { ColumnsOf, CopiedTables } from '@latchkey/service/copy/copied-tables'
import type { StorageSchema } from './schema.ts'

const owned = { repository_uid: 'value', written_at: 'value', stamp: 'value' } as const

const columns: ColumnsOf<StorageSchema> = {
  stored_xorbs: {
    ...{ ref_uid: 'key', hash: 'key', ...owned },
    digest: 'value',
    packed_bytes: 'value',
    unpacked_bytes: 'value',
    chunks: 'value',
    renewed_at: 'value',
  },
  stored_files: {
    ...{ position: 'key', ref_uid: 'value', hash: 'value', ...owned },
    bytes: 'value',
    terms: 'value',
    first_chunk: 'value',
    sha256: 'value',
  },
  stored_chunks: { ref_uid: 'key', hash: 'key', ...owned, xorb_hash: 'value' },
  stored_totals: { repository_uid: 'key', bytes: 'value', objects: 'value' },
  removed_places: { uid: 'key', removed_at: 'value', is_swept: 'value' },
  epoch_outbox: { position: 'key', repository_uid: 'value' },
  settings: { name: 'key', value: 'value' },
  hub_link: { id: 'key', applied: 'value', known: 'value', lost_at: 'value' },
}

export const copiedCatalog: CopiedTables = {
  columns,
  head: { table: 'hub_link', meanwhile: { known: 0 } },
  filledByTriggers: ['stored_totals'],
  // The terms of a large file are tens of kilobytes.
  rowsPerPage: { stored_files: 250 },
}

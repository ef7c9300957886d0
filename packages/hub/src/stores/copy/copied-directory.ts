/** The directory as a copy sees it. */

import type { CopiedTables } from '@latchkey/service/copy/copied-tables'
import { directoryColumns } from '../../tables/table-columns.ts'

const ofTheServer = { column: 'name', values: ['postgres server'] }

export const copiedDirectory: CopiedTables = {
  columns: directoryColumns,
  // An open head keeps its mark, however many rows are written.
  head: { table: 'journal_head', meanwhile: { is_open: 1 } },
  filledByTriggers: ['past_holders'],
  notCopied: { settings: ofTheServer },
  fromOpening: {
    settings: ofTheServer,
    journal: { column: 'thing', values: ['journal', 'hub'] },
  },
}

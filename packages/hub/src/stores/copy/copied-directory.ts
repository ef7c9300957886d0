/** The directory as a copy sees it. */

import type { CopiedTables } from '@latchkey/service/copy/copied-tables'
import { directoryColumns } from '../../tables/table-columns.ts'

export const copiedDirectory: CopiedTables = {
  columns: directoryColumns,
  head: { table: 'journal_head', column: 'number' },
  momentOf: async (_, { number, mark }) => `${number} ${mark}`,
  // An open head keeps its mark, however many rows are written.
  headMeanwhile: { is_open: 1 },
  filledByTriggers: ['past_holders'],
  // The triggers that keep past holders look for the repository of a ref.
  emptiedFirst: 'repositories',
  ofTheDatabase: ['postgres server'],
  fromOpening: { journal: { column: 'thing', values: ['journal', 'hub'] } },
}

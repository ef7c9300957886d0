/** Copies of all tables from one database into another of any kind; each kind has a side of its own. */

export {
  type CopyResult,
  type CopyVerb,
  copyBetween,
  type OnCopyProgress,
} from './copy-between.ts'
export {
  type ColumnsOf,
  type CopiedTables,
  CopyError,
  type CopySource,
  type CopyTarget,
} from './copy-side.ts'
